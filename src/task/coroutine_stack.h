// Coroutine stacks: the units of one example that can proceed independently. A coroutine stack holds coroutines, each
// awaited by the one below it. A loop resumes the topmost: no coroutine resumes another, so the C++ stack does not grow
// with their number, at any optimisation level. An example starts with one coroutine stack; all(tasks) adds more.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <espalier/task/promise.h>
#include "graph/tape.h"

namespace espalier::detail {

struct CoroutineStack {
  CoroutineStacks::State* example = nullptr;
  CoroutineStack* parent = nullptr;                     // waits for this one
  CoroutineStack *older = nullptr, *younger = nullptr;  // neighbours in the list of siblings that have not ended
  CoroutineStack* youngest = nullptr;                   // the last child that it waits for; null: it waits for none
  GraphTape::ExampleState state;                        // restored when it runs
  std::vector<Promise*> stack;                          // outermost coroutine first
  std::vector<RequestedValue> requested;                // values that it waits for
  bool stopped = false;                                 // waits for values or children
  bool ended = false;
};

struct CoroutineStacks::State {
  GraphTape& tape;
  std::vector<std::unique_ptr<CoroutineStack>> stacks;  // in order of creation: parents before children
  std::vector<std::unique_ptr<CoroutineStack>> spare;   // for reuse
  size_t ended = 0;                                     // number of ended stacks in `stacks`
  CoroutineStack* root = nullptr;
  std::vector<CoroutineStack*> ready;  // elements from index `next` on can run, unless cancelled
  size_t next = 0;

  explicit State(GraphTape& of) : tape(of) {}

  CoroutineStack& add(Promise& first, CoroutineStack* parent, const GraphTape::ExampleState& state);
  void run_ready();
  void run(CoroutineStack& stack);
  void end(CoroutineStack& stack);
  void cancel_after(const CoroutineStack& failed);
  void put_ended_aside();  // moves ended stacks to `spare` if they are at least half of `stacks`
};

}  // namespace espalier::detail
