#include <espalier/task/task.h>

namespace espalier::detail {

Promise& TaskBase::need(std::string_view who) const {
  if (promise_ == nullptr)
    throw GraphError(std::string(who) + ": the task is empty; it was already awaited or moved from");
  if (promise_->stack != nullptr)
    throw GraphError(std::string(who) + ": the task is already being awaited; a task can be awaited only once");
  return *promise_;
}

// A task that has not started may own other tasks as parameters, and these may own tasks: destroys all of them in a
// loop, not recursively.
void TaskBase::destroy() noexcept {
  thread_local Promise* left = nullptr;
  thread_local bool destroying = false;
  Promise* const promise = std::exchange(promise_, nullptr);
  if (promise == nullptr) return;
  if (promise->stack != nullptr) return promise->frame.destroy();
  promise->next = std::exchange(left, promise);
  if (std::exchange(destroying, true)) return;
  while (left != nullptr) std::exchange(left, left->next)->frame.destroy();
  destroying = false;
}

}  // namespace espalier::detail
