// The thread that may call an engine: one at a time, and none of the functions that the engine itself runs in several
// threads.
#pragma once
#include <atomic>
#include <string_view>
#include <thread>

namespace espalier::detail {

// Part of an engine's state.
struct EngineUser {
  std::atomic<std::thread::id> thread;  // that is inside a call of the engine; none: nobody is
  bool running = false;                 // that call computes: only kernels are called, a user's ops among them
};

// Lives as long as a call of the engine. GraphError: another thread is inside a call; or this one is, and the engine
// cannot be called from there. A call from the function given to record() is allowed where that runs in one thread.
class EngineUse {
 public:
  EngineUse(EngineUser& user, std::string_view who);
  ~EngineUse();
  EngineUse(const EngineUse&) = delete;
  EngineUse& operator=(const EngineUse&) = delete;

 private:
  EngineUser& user_;
  bool outermost_ = false;
};

// Lives while this thread calls functions of the user's that must not call the engine: other threads do the same.
class RecordingThread {
 public:
  // `by`: who calls them, in errors.
  RecordingThread(const EngineUser& user, std::string_view by);
  ~RecordingThread();
  RecordingThread(const RecordingThread&) = delete;
  RecordingThread& operator=(const RecordingThread&) = delete;

 private:
  friend class EngineUse;
  const EngineUser& user_;
  std::string_view by_;
  const RecordingThread* outer_;
};

}  // namespace espalier::detail
