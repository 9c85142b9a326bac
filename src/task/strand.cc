#include "task/strand.h"

#include <ranges>
#include <utility>

#include "base/check.h"
#include "expr/record.h"

namespace espalier::detail {
namespace {

// Destroys the coroutines of a strand, the innermost first.
void unwind(Strand& s) noexcept {
  while (!s.stack.empty()) {
    TaskBase* const owner = s.stack.back()->owner;
    s.stack.pop_back();
    owner->destroy();
  }
}

}  // namespace

Strand& Strands::State::add(Promise& first, Strand* parent, const GraphTape::Turn& turn) {
  if (spare.empty()) spare.push_back(std::make_unique<Strand>());
  strands.push_back(std::move(spare.back()));
  spare.pop_back();
  Strand& s = *strands.back();
  s.example = this;
  s.parent = parent;
  s.older = s.younger = s.youngest = nullptr;
  if (parent != nullptr) {
    s.older = std::exchange(parent->youngest, &s);
    if (s.older != nullptr) s.older->younger = &s;
  }
  s.turn = turn;
  s.stack.assign(1, &first);
  s.wanted.clear();
  s.stopped = s.ended = false;
  first.strand = &s;
  return s;
}

void Strands::State::run_ready() {
  while (next < ready.size()) {
    Strand& s = *ready[next++];
    if (next == ready.size()) {
      ready.clear();
      next = 0;
    }
    if (!s.ended) run(s);
  }
}

void Strands::State::run(Strand& s) {
  tape.take_turn(s.turn);
  s.wanted.clear();
  s.stopped = false;
  bool failed = false;
  while (!s.stopped && !s.stack.empty()) {
    const Promise& top = *s.stack.back();
    top.frame.resume();
    if (!top.frame.done()) continue;  // it has put another on top, or stopped
    failed = top.error != nullptr;
    s.stack.pop_back();
  }
  s.turn = tape.turn();
  if (!s.stack.empty()) return;
  if (failed) cancel_after(s);
  end(s);
  if (s.parent == nullptr) return;
  if (s.parent->youngest == nullptr) ready.push_back(s.parent);
  put_ended_aside();
}

void Strands::State::end(Strand& s) {
  s.ended = true;
  ++ended;
  if (s.parent == nullptr) return;
  (s.younger != nullptr ? s.younger->older : s.parent->youngest) = s.older;
  if (s.older != nullptr) s.older->younger = s.younger;
}

// Its younger siblings, and all that these wait for: the innermost first.
void Strands::State::cancel_after(const Strand& failed) {
  if (failed.parent == nullptr) return;
  for (Strand* s = failed.parent->youngest; s != &failed;) {
    while (s->youngest != nullptr) s = s->youngest;
    unwind(*s);
    end(*s);
    s = s->parent == failed.parent ? s->parent->youngest : s->parent;
  }
}

void Strands::State::put_ended_aside() {
  if (ended * 2 < strands.size()) return;
  ready.erase(ready.begin(), ready.begin() + static_cast<ptrdiff_t>(std::exchange(next, 0)));
  std::erase_if(ready, [](const Strand* s) { return s->ended; });
  for (auto& s : strands)
    if (s->ended) spare.push_back(std::move(s));
  std::erase(strands, nullptr);
  ended = 0;
}

Strands::Strands(Graph& graph, Promise& root) : state_(std::make_unique<State>(graph.tape())) {
  state_->root = &state_->add(root, nullptr, {});
}

Strands::~Strands() {
  for (const auto& s : std::views::reverse(state_->strands)) unwind(*s);
}

void Strands::advance(std::vector<Wanted>& wanted) {
  State& s = *state_;
  const size_t before = wanted.size();
  s.root->turn = s.tape.turn();
  for (const auto& strand : s.strands)
    if (!strand->ended && strand->youngest == nullptr) s.ready.push_back(strand.get());
  s.run_ready();
  for (const auto& strand : s.strands)
    if (!strand->ended) wanted.insert(wanted.end(), strand->wanted.begin(), strand->wanted.end());
  ESPALIER_CHECK(s.root->ended || wanted.size() > before);
  s.tape.take_turn(s.root->turn);
}

bool wait_for(Promise& from, std::span<const Expr> xs, std::string_view who, Where at) {
  ESPALIER_CHECK(from.strand != nullptr);
  Strand& s = *from.strand;
  GraphTape& tape = s.example->tape;
  for (Expr x : xs) recorded_value(tape, x, who, at);
  for (Expr x : xs)
    if (tape.computed->find(x.id()) == nullptr) {
      s.wanted.push_back({x, at});
      s.stopped = true;
    }
  if (!s.stopped) tape.take_turn(tape.turn());  // a mark is good until here, whether it waits or not
  return s.stopped;
}

void wait_for(Promise& from, Promise& task) {
  ESPALIER_CHECK(from.strand != nullptr);
  from.strand->stack.push_back(&task);
  task.strand = from.strand;
}

Fork::Fork(Promise& from) : from_(*from.strand) {}

void Fork::add(Promise& task) {
  Strands::State& example = *from_.example;
  example.ready.push_back(&example.add(task, &from_, example.tape.fork(number_)));
  ++number_;
}

Fork::~Fork() {
  ++from_.example->tape.ordinal;  // it keyed this fork
  from_.stopped = true;
}

}  // namespace espalier::detail
