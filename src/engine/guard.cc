#include "engine/guard.h"

#include <string>

#include <espalier/base/error.h>

namespace espalier::detail {
namespace {

thread_local const RecordingThread* innermost = nullptr;

}  // namespace

EngineCall::EngineCall(EngineAccess& access, std::string_view who) : access_(access) {
  for (const RecordingThread* r = innermost; r != nullptr; r = r->outer_)
    if (&r->access_ == &access)
      throw GraphError(std::string(who) + ": it is called inside " + std::string(r->by_) +
                       " of the same engine, which runs in several threads; call it afterwards, or on another engine");
  const std::thread::id me = std::this_thread::get_id();
  if (access.thread.load(std::memory_order_relaxed) == me) {
    if (access.running)
      throw GraphError(std::string(who) + ": it is called by an op while the engine runs; call it afterwards");
    return;
  }
  std::thread::id nobody;
  if (!access.thread.compare_exchange_strong(nobody, me, std::memory_order_acquire))
    throw GraphError(std::string(who) +
                     ": another thread is using the engine; use it in one thread at a time, or one engine per thread");
  outermost_ = true;
}

EngineCall::~EngineCall() {
  if (outermost_) access_.thread.store({}, std::memory_order_release);
}

RecordingThread::RecordingThread(const EngineAccess& access, std::string_view by)
    : access_(access), by_(by), outer_(innermost) {
  innermost = this;
}
RecordingThread::~RecordingThread() { innermost = outer_; }

}  // namespace espalier::detail
