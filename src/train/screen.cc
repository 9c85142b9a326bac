// Detects whether stderr is a terminal, its width, and its support for colours and Unicode. The only part of Progress
// that calls the operating system.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include <espalier/train/progress.h>

namespace espalier::train {
namespace {

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// POSIX: LC_ALL overrides LC_CTYPE, which overrides LANG; an empty variable counts as unset.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    for (const char* spelling : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(spelling) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

int terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Screen Progress::standard_error() {
  Screen screen;
  screen.out = &std::cerr;
  screen.terminal = isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb";
  if (screen.terminal) {
    screen.color = environment("NO_COLOR").empty();  // no-color.org: disabled if set and not empty
    screen.unicode = locale_is_utf8();
    screen.width = terminal_width();
  }
  return screen;
}

}  // namespace espalier::train
