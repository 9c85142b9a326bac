// What the coroutines of all Tasks have in common, whatever they give: the part that is compiled once.
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

struct Strand;
class TaskBase;

// Lazy: it begins when a strand takes it. It stops at its end, so that its result can be taken.
struct ESPALIER_API Promise {
  std::coroutine_handle<> frame;
  TaskBase* owner = nullptr;
  Strand* strand = nullptr;  // that runs it; null: it has not begun
  Promise* next = nullptr;   // to be destroyed after it
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

// Owns a coroutine. Destroying it cancels it.
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
  Promise& need(std::string_view who) const;  // GraphError: it is empty, or awaited already
  void destroy() noexcept;                    // and leaves it empty

 private:
  Promise* promise_ = nullptr;
};

// ---- by the awaitables; `from` is the coroutine that awaits
// False: all are computed, and there is nothing to wait for.
ESPALIER_API bool wait_for(Promise& from, std::span<const Expr> xs, std::string_view who, Where at);
ESPALIER_API void wait_for(Promise& from, Promise& task);  // in the same strand
// `tasks` in strands of their own, side by side.
class ESPALIER_API Fork {
 public:
  explicit Fork(Promise& from);
  void add(Promise& task);
  ~Fork();

 private:
  Strand& from_;
  uint64_t number_ = 0;
};

// All strands of one example.
class ESPALIER_API Strands {
 public:
  Strands(Graph& graph, Promise& root);
  Strands(Strands&&) = delete;
  ~Strands();  // cancels: innermost first
  // As Waiting::advance; `root` has ended once nothing is added.
  void advance(std::vector<Wanted>& wanted);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace espalier::detail
