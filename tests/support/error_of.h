// What f throws, in its words.
#pragma once
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

}  // namespace espalier::test
