#include "interrupt.h"

#include <csignal>

namespace espalier::app {
namespace {

// A global, because a signal handler takes no user data.
std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not take a lock");

}  // namespace

void catch_interrupt() {
  struct sigaction action{};
  action.sa_handler = [](int) { asked = true; };
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // reset: the second signal has its default effect
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& interrupt_asked() { return asked; }

}  // namespace espalier::app
