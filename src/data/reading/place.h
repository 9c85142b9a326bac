// Where in a file something stands, and the DataError that says so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <espalier/base/error.h>

namespace espalier::data {

struct Place {
  std::string_view file;
  size_t line = 1, column = 1;  // in bytes, from 1

  std::string text() const { return std::to_string(line) + ":" + std::to_string(column); }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(std::string(file) + ":" + text() + ": " + what);
  }
};

inline std::string quoted(std::string_view word) {
  constexpr size_t most = 20;  // a binary file has long words
  return "'" + std::string(word.substr(0, most)) + (word.size() > most ? "…'" : "'");
}

}  // namespace espalier::data
