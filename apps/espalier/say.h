// Messages on stderr.
#pragma once
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace espalier::app {

// Write errors are ignored: a closed or full stderr must not end a training run.
template <class... A>
void say(fmt::format_string<A...> text, A&&... arguments) {
  const std::string line = fmt::format(text, std::forward<A>(arguments)...) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace espalier::app
