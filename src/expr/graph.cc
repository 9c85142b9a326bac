#include <espalier/expr/graph.h>

#include <algorithm>

#include "base/random.h"
#include "expr/record.h"

namespace espalier {

Shape Expr::shape() const {
  if (entry_ == nullptr) throw GraphError("shape: an empty Expr has no shape; a value is needed");
  if (entry_->tracing) {
    Trace& trace = trace_of(*this, "shape", {});
    return trace.program.node(traced_node(trace, *this, "shape", {})).shape;
  }
  const GraphTape& tape = graph_of(*this, "shape", {});
  if (!tape.current(id_, stamp_)) value_is_stale("shape", {});
  return tape.shape(id_);
}

Graph::Graph(std::shared_ptr<GraphTape> tape) : tape_(std::move(tape)) {}
Graph& Graph::operator=(Graph&& other) noexcept {
  if (this == &other) return *this;
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
    throw GraphError("clear: the graph is still being recorded; clear it after record or run has returned");
  tape_->clear();
}
uint64_t Graph::random() {
  ++tape_->all_draws;
  return mix(~tape_->example_key, tape_->draws++);
}
void Graph::example(uint64_t id) { tape_->begin_example(id); }

void Graph::emit(std::string_view metric, Expr value, int64_t label) {
  const uint32_t v = recorded_value(*tape_, value, "emit", {});
  if (label != static_cast<int>(label))
    throw IndexError("emit: label " + std::to_string(label) + " is out of range; it must fit an int");
  tape_->emitted.push_back({tape_->metric_number(metric), v, value.stamp(), static_cast<int>(label), tape_->owner});
}

Graph::Mark Graph::mark() const { return tape_->mark(); }
void Graph::revert(const Mark& mark) { tape_->revert(mark); }

}  // namespace espalier
