// Task<T>: a coroutine that records one example and waits for values on the way. It gives a T to record(), or to the
// task that awaits it. Read the box in docs/tasks.md first: g++ 12.2 miscompiles some forms of co_await.
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

// Lazy: nothing happens before it is awaited, recorded or run, which is possible once. What it throws reaches whoever
// does. Its parameters are copied into it, except references and what a lambda captures: these must outlive it.
template <class T = void>
class [[nodiscard("co_await it, or give it to record")]] Task : public detail::TaskBase {
  static_assert(!std::is_reference_v<T>, "a Task gives a value, not a reference");

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

  // For the library: the result of a task that has ended.
  T take() {
    Task ended(std::move(*this));  // it goes at once, so that long chains do not end as deep recursions
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
    // A failed task cancels those after it: the first that has failed comes before all that were cancelled.
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
      : task_(std::move(task)), into_(into), strands_(graph, task_.need("record")) {}

  void advance(std::vector<Wanted>& wanted) override {
    const size_t before = wanted.size();
    strands_.advance(wanted);
    if (wanted.size() > before) return;
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
  Strands strands_;  // goes first
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

// Tasks of one example side by side, each with random numbers of its own: as many rounds as the longest of them takes.
// Gives their results. If one fails, those after it are cancelled, those before it go on, and the first failure is
// thrown.
template <class T>
detail::AwaitTasks<T> all(std::vector<Task<T>>&& tasks) {
  return detail::AwaitTasks<T>(std::move(tasks));
}

// One task, in a graph that the user made.
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
