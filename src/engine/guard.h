// Guards of an engine: only one thread at a time may call it. The user's functions that the engine runs in several
// threads must not call it.
#pragma once
#include <atomic>
#include <string_view>
#include <thread>

namespace espalier::detail {

// Part of an engine's state; pipelines share it.
struct EngineAccess {
  std::atomic<std::thread::id> thread;  // the thread inside a call of the engine; default: none
  bool running = false;                 // that call executes kernels, so ops of the user must not call the engine
};

// RAII: one call of an engine. GraphError: another thread is inside a call; or this thread executes kernels or is a
// RecordingThread. A function given to record() may call the engine if the engine has one thread.
class EngineCall {
 public:
  EngineCall(EngineAccess& access, std::string_view who);
  ~EngineCall();
  EngineCall(const EngineCall&) = delete;
  EngineCall& operator=(const EngineCall&) = delete;

 private:
  EngineAccess& access_;
  bool outermost_ = false;
};

// RAII: this thread runs functions of the user that other threads may run at the same time. They must not call the
// engine.
class RecordingThread {
 public:
  // `by` names the caller in errors.
  RecordingThread(const EngineAccess& access, std::string_view by);
  ~RecordingThread();
  RecordingThread(const RecordingThread&) = delete;
  RecordingThread& operator=(const RecordingThread&) = delete;

 private:
  friend class EngineCall;
  const EngineAccess& access_;
  std::string_view by_;
  const RecordingThread* outer_;
};

}  // namespace espalier::detail
