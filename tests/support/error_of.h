// The message of the exception that f throws.
#pragma once
#include <regex>
#include <string>

#include <espalier/base/error.h>

namespace espalier::test {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// The same without line numbers: "(model.cc)".
template <class F>
std::string error_without_line(F f) {
  return std::regex_replace(error_of(f), std::regex(R"((\(\w+\.cc):\d+\))"), "$1)");
}

}  // namespace espalier::test
