// Ctrl-C: the first asks the program to end cleanly, the second ends it at once.
#pragma once
#include <atomic>

namespace espalier::app {

void catch_interrupt();
const std::atomic<bool>& interrupt_asked();

}  // namespace espalier::app
