#include <espalier/task/task.h>

namespace espalier::detail {

Promise& TaskBase::need(std::string_view who) const {
  if (promise_ == nullptr)
    throw GraphError(std::string(who) + ": the task is empty; it was awaited before, or moved from");
  if (promise_->strand != nullptr)
    throw GraphError(std::string(who) + ": the task is being awaited; that is possible once");
  return *promise_;
}

// A task that has not begun may hold others as its parameters, these others again, and so on: a loop destroys them.
void TaskBase::destroy() noexcept {
  thread_local Promise* left = nullptr;
  thread_local bool destroying = false;
  Promise* const promise = std::exchange(promise_, nullptr);
  if (promise == nullptr) return;
  if (promise->strand != nullptr) return promise->frame.destroy();
  promise->next = std::exchange(left, promise);
  if (std::exchange(destroying, true)) return;
  while (left != nullptr) std::exchange(left, left->next)->frame.destroy();
  destroying = false;
}

}  // namespace espalier::detail
