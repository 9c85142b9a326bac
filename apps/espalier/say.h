// What is said on stderr.
#pragma once
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace espalier::app {

// Stderr may be closed or full: nothing that is said there is worth ending a training for.
template <class... A>
void say(fmt::format_string<A...> text, A&&... arguments) {
  const std::string line = fmt::format(text, std::forward<A>(arguments)...) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace espalier::app
