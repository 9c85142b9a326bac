// The parts of Task that do not depend on its result type and are compiled once.
#pragma once
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <espalier/engine/waiting.h>
#include <espalier/expr/graph.h>

namespace espalier::detail {

struct CoroutineStack;
class TaskBase;

// The coroutine starts when a coroutine stack runs it, and suspends at its end, so that the result can be taken.
struct ESPALIER_API Promise {
  std::coroutine_handle<> frame;
  TaskBase* owner = nullptr;
  CoroutineStack* stack = nullptr;  // runs this coroutine; null: not started
  Promise* next = nullptr;          // next in the list of coroutines to destroy
  std::exception_ptr error;

  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

template <class T>
struct PromiseOf : Promise {
  std::optional<T> result;
  void return_value(T value) { result.emplace(std::move(value)); }
  T take() { return std::move(*result); }
};
template <>
struct PromiseOf<void> : Promise {
  void return_void() noexcept {}
  void take() noexcept {}
};

// Owns a coroutine. Destruction cancels it.
class ESPALIER_API TaskBase {
 public:
  TaskBase() = default;
  explicit TaskBase(Promise& promise) : promise_(&promise) { promise.owner = this; }
  TaskBase(TaskBase&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {
    if (promise_ != nullptr) promise_->owner = this;
  }
  TaskBase& operator=(TaskBase&& other) noexcept {
    TaskBase gone(std::move(*this));
    promise_ = std::exchange(other.promise_, nullptr);
    if (promise_ != nullptr) promise_->owner = this;
    return *this;
  }
  ~TaskBase() { destroy(); }

  Promise* promise() const { return promise_; }
  Promise& need(std::string_view who) const;  // GraphError if empty or already awaited
  void destroy() noexcept;                    // cancels the coroutine; the task is empty afterwards

 private:
  Promise* promise_ = nullptr;
};

// ---- called by the awaitables; `from` is the awaiting coroutine
// Returns false if all values are already computed.
ESPALIER_API bool wait_for(Promise& from, std::span<const Expr> xs, std::string_view who, Where at);
ESPALIER_API void wait_for(Promise& from, Promise& task);  // in the same coroutine stack
// Runs tasks concurrently, each in its own coroutine stack. `from` waits for all of them.
class ESPALIER_API Fork {
 public:
  explicit Fork(Promise& from);
  void add(Promise& task);
  ~Fork();

 private:
  CoroutineStack& from_;
  uint64_t number_ = 0;
};

// All coroutine stacks of one example.
class ESPALIER_API CoroutineStacks {
 public:
  CoroutineStacks(Graph& graph, Promise& root);
  CoroutineStacks(CoroutineStacks&&) = delete;
  ~CoroutineStacks();  // cancels all coroutines, innermost first
  // Like Waiting::advance. If nothing is added to `requested`, the root task has ended.
  void advance(std::vector<RequestedValue>& requested);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace espalier::detail
