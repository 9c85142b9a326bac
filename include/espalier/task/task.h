// Task<T>: a coroutine that records one example and can wait for values in between. It returns a T to record(), or to
// the task that awaits it. Read the box in docs/tasks.md first: g++ 12.2 miscompiles some forms of co_await.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/task/await.h>
#include <espalier/task/promise.h>

namespace espalier {

// Lazy: starts when it is awaited, recorded or run, which is possible only once. Its exceptions propagate to that
// caller. The coroutine copies its parameters; references and lambda captures must outlive it.
template <class T = void>
class [[nodiscard("co_await it, or pass it to record")]] Task : public detail::TaskBase {
  static_assert(!std::is_reference_v<T>, "a Task must return a value, not a reference");

 public:
  struct promise_type : detail::PromiseOf<T> {
    Task get_return_object() {
      this->frame = std::coroutine_handle<promise_type>::from_promise(*this);
      return Task(*this);
    }
  };

  Task() = default;  // empty: using it is a GraphError

  bool await_ready() const {
    need("co_await");
    return false;
  }
  template <std::derived_from<detail::Promise> P>
  void await_suspend(std::coroutine_handle<P> from) {
    detail::wait_for(from.promise(), *promise());
  }
  T await_resume() { return take(); }

  // Internal: the result of a task that has ended.
  T take() {
    Task ended(std::move(*this));  // destroyed here, so that long chains are not destroyed recursively
    auto& of = static_cast<promise_type&>(*ended.promise());
    if (of.error) std::rethrow_exception(of.error);
    return of.take();
  }

 private:
  explicit Task(promise_type& promise) : TaskBase(promise) {}
};

namespace detail {

template <class T>
class [[nodiscard("co_await it")]] AwaitTasks {
 public:
  explicit AwaitTasks(std::vector<Task<T>>&& tasks) : tasks_(std::move(tasks)) {}

  bool await_ready() const {
    for (const Task<T>& t : tasks_) t.need("all");
    return tasks_.empty();
  }
  template <std::derived_from<Promise> P>
  void await_suspend(std::coroutine_handle<P> from) {
    Fork fork(from.promise());
    for (Task<T>& t : tasks_) fork.add(*t.promise());
  }
  auto await_resume() {
    // A failed task cancels only later tasks, so take() throws the first failure before it reaches a cancelled task.
    if constexpr (std::is_void_v<T>) {
      for (Task<T>& t : tasks_) t.take();
    } else {
      std::vector<T> results;
      results.reserve(tasks_.size());
      for (Task<T>& t : tasks_) results.push_back(t.take());
      return results;
    }
  }

 private:
  std::vector<Task<T>> tasks_;
};

template <class T>
class TaskWaiting final : public Waiting {
 public:
  using Result = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  TaskWaiting(Graph& graph, Task<T>&& task, std::optional<Result>& into)
      : task_(std::move(task)), into_(into), stacks_(graph, task_.need("record")) {}

  void advance(std::vector<RequestedValue>& requested) override {
    const size_t before = requested.size();
    stacks_.advance(requested);
    if (requested.size() > before) return;
    if constexpr (std::is_void_v<T>) {
      task_.take();
      into_.emplace();
    } else {
      into_.emplace(task_.take());
    }
  }

 private:
  Task<T> task_;
  std::optional<Result>& into_;
  CoroutineStacks stacks_;  // must be destroyed before task_
};

template <class T>
struct Recording<Task<T>> {
  using type = typename TaskWaiting<T>::Result;
  static constexpr bool waits = true;
  static std::unique_ptr<Waiting> start(Graph& graph, Task<T>&& task, std::optional<type>& into) {
    return std::make_unique<TaskWaiting<T>>(graph, std::move(task), into);
  }
};

}  // namespace detail

// Runs tasks of one example concurrently, each with its own random numbers, in as many rounds as the longest task
// takes. Returns their results. If a task fails, later tasks are cancelled, earlier ones continue, and the first
// failure is rethrown.
template <class T>
detail::AwaitTasks<T> all(std::vector<Task<T>>&& tasks) {
  return detail::AwaitTasks<T>(std::move(tasks));
}

// Runs one task in a graph created by the user.
template <class T>
T run(Engine& engine, Graph& graph, Task<T> task, int max_rounds = RecordOptions{}.max_rounds) {
  std::optional<typename detail::Recording<Task<T>>::type> result;
  task.need("run");
  detail::finish(
      engine, graph, [&](Graph& g, size_t) { return detail::Recording<Task<T>>::start(g, std::move(task), result); },
      max_rounds);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace espalier
