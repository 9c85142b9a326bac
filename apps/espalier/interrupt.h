// Signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM, which schedulers send, and SIGHUP, when the terminal
// goes. The first of a kind asks it to end cleanly, the second ends it at once. A signal that is ignored (nohup) stays
// ignored.
#pragma once
#include <atomic>

namespace espalier::app {

void catch_interrupt();
const std::atomic<bool>& interrupt_asked();

}  // namespace espalier::app
