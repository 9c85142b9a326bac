#include <espalier/expr/graph.h>

#include <algorithm>

#include "base/random.h"
#include "expr/record.h"

namespace espalier {

Shape Expr::shape() const {
  if (tape_ == nullptr) throw GraphError("shape: an empty Expr has none; a value is needed");
  if (tape_->tracing) {
    auto& trace = static_cast<Trace&>(*tape_);
    return trace.program.node(traced_node(trace, *this, "shape", {})).shape;
  }
  auto& tape = static_cast<GraphTape&>(*tape_);
  if (!tape.current(id_, stamp_))
    throw GraphError("shape: the value is stale; its graph was cleared, reverted or destroyed");
  return tape.shape(id_);
}

Graph::Graph(std::shared_ptr<GraphTape> tape) : tape_(std::move(tape)) {}
Graph& Graph::operator=(Graph&& other) noexcept {
  if (tape_) tape_->clear();
  tape_ = std::move(other.tape_);
  return *this;
}
Graph::~Graph() {
  if (tape_) tape_->clear();
}

Mode Graph::mode() const { return tape_->train ? Mode::train : Mode::infer; }
size_t Graph::calls() const { return tape_->calls(); }
void Graph::clear() {
  if (tape_->owner != GraphTape::no_owner)
    throw GraphError("clear: the graph is being recorded, by others, too; clear it when record or run has ended");
  tape_->clear();
}
uint64_t Graph::random() { return mix(~tape_->example_key, tape_->draws++); }
void Graph::example(uint64_t id) { tape_->begin_example(id); }

void Graph::emit(std::string_view metric, Expr value, int label) {
  const uint32_t v = recorded_value(*tape_, value, "emit", {});
  tape_->emitted.push_back({tape_->metric_number(metric), v, value.stamp(), label, tape_->owner});
}

Graph::Mark Graph::mark() const {
  const GraphTape::Mark m = tape_->mark();
  return {m.calls, m.values,  m.args,   m.ints,    m.groups, m.items,
          m.data,  m.emitted, m.shared, m.ordinal, m.draws,  m.stamp};
}
void Graph::revert(const Mark& m) {
  auto n = [](size_t x) { return static_cast<uint32_t>(x); };
  tape_->revert({n(m.calls), n(m.values), n(m.args), n(m.ints), n(m.groups), n(m.items), n(m.data), n(m.emitted),
                 n(m.shared), m.ordinal, m.draws, m.stamp});
}

}  // namespace espalier
