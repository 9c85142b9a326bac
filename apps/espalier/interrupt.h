// Termination signals: SIGINT (Ctrl-C), SIGTERM (from job schedulers) and SIGHUP (the terminal was closed). The first
// signal of a kind requests a clean end; the second ends the process at once. A signal that is ignored at program start
// (nohup) stays ignored.
#pragma once
#include <atomic>

namespace espalier::app {

void catch_interrupt();
const std::atomic<bool>& interrupt_asked();

}  // namespace espalier::app
