#include "task/coroutine_stack.h"

#include <ranges>
#include <utility>

#include "base/check.h"
#include "expr/record.h"

namespace espalier::detail {
namespace {

// Destroys the coroutines of a stack, innermost first.
void unwind(CoroutineStack& s) noexcept {
  while (!s.stack.empty()) {
    TaskBase* const owner = s.stack.back()->owner;
    s.stack.pop_back();
    owner->destroy();
  }
}

}  // namespace

CoroutineStack& CoroutineStacks::State::add(Promise& first, CoroutineStack* parent,
                                            const GraphTape::ExampleState& state) {
  if (spare.empty()) spare.push_back(std::make_unique<CoroutineStack>());
  stacks.push_back(std::move(spare.back()));
  spare.pop_back();
  CoroutineStack& s = *stacks.back();
  s.example = this;
  s.parent = parent;
  s.older = s.younger = s.youngest = nullptr;
  if (parent != nullptr) {
    s.older = std::exchange(parent->youngest, &s);
    if (s.older != nullptr) s.older->younger = &s;
  }
  s.state = state;
  s.stack.assign(1, &first);
  s.requested.clear();
  s.stopped = s.ended = false;
  first.stack = &s;
  return s;
}

void CoroutineStacks::State::run_ready() {
  while (next < ready.size()) {
    CoroutineStack& s = *ready[next++];
    if (next == ready.size()) {
      ready.clear();
      next = 0;
    }
    if (!s.ended) run(s);
  }
}

void CoroutineStacks::State::run(CoroutineStack& s) {
  tape.resume_example(s.state);
  s.requested.clear();
  s.stopped = false;
  bool failed = false;
  while (!s.stopped && !s.stack.empty()) {
    const Promise& top = *s.stack.back();
    top.frame.resume();
    if (!top.frame.done()) continue;  // it awaits another coroutine, which is on the stack now, or it stopped to wait
    failed = top.error != nullptr;
    s.stack.pop_back();
  }
  s.state = tape.example_state();
  if (!s.stack.empty()) return;
  if (failed) cancel_after(s);
  end(s);
  if (s.parent == nullptr) return;
  if (s.parent->youngest == nullptr) ready.push_back(s.parent);
  put_ended_aside();
}

void CoroutineStacks::State::end(CoroutineStack& s) {
  s.ended = true;
  ++ended;
  if (s.parent == nullptr) return;
  (s.younger != nullptr ? s.younger->older : s.parent->youngest) = s.older;
  if (s.older != nullptr) s.older->younger = s.younger;
}

// Cancels the younger siblings of a failed stack and all their descendants, innermost first.
void CoroutineStacks::State::cancel_after(const CoroutineStack& failed) {
  if (failed.parent == nullptr) return;
  for (CoroutineStack* s = failed.parent->youngest; s != &failed;) {
    while (s->youngest != nullptr) s = s->youngest;
    unwind(*s);
    end(*s);
    s = s->parent == failed.parent ? s->parent->youngest : s->parent;
  }
}

void CoroutineStacks::State::put_ended_aside() {
  if (ended * 2 < stacks.size()) return;
  ready.erase(ready.begin(), ready.begin() + static_cast<ptrdiff_t>(std::exchange(next, 0)));
  std::erase_if(ready, [](const CoroutineStack* s) { return s->ended; });
  for (auto& s : stacks)
    if (s->ended) spare.push_back(std::move(s));
  std::erase(stacks, nullptr);
  ended = 0;
}

CoroutineStacks::CoroutineStacks(Graph& graph, Promise& root) : state_(std::make_unique<State>(graph.tape())) {
  state_->root = &state_->add(root, nullptr, {});
}

CoroutineStacks::~CoroutineStacks() {
  for (const auto& s : std::views::reverse(state_->stacks)) unwind(*s);
}

void CoroutineStacks::advance(std::vector<RequestedValue>& requested) {
  State& s = *state_;
  const size_t before = requested.size();
  s.root->state = s.tape.example_state();
  for (const auto& stack : s.stacks)
    if (!stack->ended && stack->youngest == nullptr) s.ready.push_back(stack.get());
  s.run_ready();
  for (const auto& stack : s.stacks)
    if (!stack->ended) requested.insert(requested.end(), stack->requested.begin(), stack->requested.end());
  ESPALIER_CHECK(s.root->ended || requested.size() > before);
  s.tape.resume_example(s.root->state);
}

bool wait_for(Promise& from, std::span<const Expr> xs, std::string_view who, Where at) {
  ESPALIER_CHECK(from.stack != nullptr);
  CoroutineStack& s = *from.stack;
  GraphTape& tape = s.example->tape;
  for (Expr x : xs) recorded_value(tape, x, who, at);
  for (Expr x : xs)
    if (tape.computed->find(x.id()) == nullptr) {
      s.requested.push_back({x, at});
      s.stopped = true;
    }
  if (!s.stopped)
    tape.resume_example(tape.example_state());  // invalidates marks at every co_await, even one that does not wait
  return s.stopped;
}

void wait_for(Promise& from, Promise& task) {
  ESPALIER_CHECK(from.stack != nullptr);
  from.stack->stack.push_back(&task);
  task.stack = from.stack;
}

Fork::Fork(Promise& from) : from_(*from.stack) {}

void Fork::add(Promise& task) {
  CoroutineStacks::State& example = *from_.example;
  example.ready.push_back(&example.add(task, &from_, example.tape.fork(number_)));
  ++number_;
}

Fork::~Fork() {
  ++from_.example->tape.ordinal;  // all tasks of this fork derived their random keys from the current ordinal
  from_.stopped = true;
}

}  // namespace espalier::detail
