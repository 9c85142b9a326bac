// FilePosition: a position in a file, for DataErrors of the form "file:line:column: what".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <espalier/base/error.h>

#include "base/utf8.h"

namespace espalier::text {

struct FilePosition {
  std::string_view file;
  size_t line = 1, column = 1;  // from 1; columns count bytes

  std::string text() const { return std::to_string(line) + ":" + std::to_string(column); }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(std::string(file) + ":" + text() + ": " + what);
  }
};

// A word in quotes for a message, truncated to 20 bytes. The result is UTF-8 on one line, whatever the bytes are.
inline std::string quoted(std::string_view word) {
  constexpr size_t most = 20;
  std::string text = "'";
  size_t i = 0;
  for (size_t n; i < word.size(); i += n) {
    const size_t length = utf8_length(word.substr(i));
    n = length > 0 ? length : 1;
    if (i + n > most) break;
    const bool shown = length > 0 && static_cast<unsigned char>(word[i]) >= ' ' && word[i] != 0x7f;
    text += shown ? std::string(word.substr(i, n)) : hex_code(word[i]);
  }
  return text + (i < word.size() ? "…'" : "'");
}

}  // namespace espalier::text

namespace espalier::data {
using text::FilePosition, text::quoted;
}
