#include "tasks/words/spelling.h"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::app {

std::string plain_word(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> brackets{
      {{"-LRB-", "("}, {"-RRB-", ")"}, {"-LCB-", "{"}, {"-RCB-", "}"}, {"-LSB-", "["}, {"-RSB-", "]"}}};
  for (const auto& [escaped, plain] : brackets)
    if (word == escaped) return std::string(plain);
  std::string result;
  for (const char c : word)
    if (c != '\\') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

int word_shape(std::string_view word) {
  size_t capitals = 0, small = 0, digits = 0;
  for (const char c : word) {
    if (c >= 'A' && c <= 'Z')
      ++capitals;
    else if (c >= '0' && c <= '9')
      ++digits;
    else if ((c >= 'a' && c <= 'z') || (static_cast<unsigned char>(c) & 0x80) != 0)  // non-ASCII is lower case
      ++small;
  }
  if (digits > 0) return 4;
  if (capitals == 0) return small > 0 ? 0 : 5;
  if (small == 0) return 2;
  return capitals == 1 && word.front() >= 'A' && word.front() <= 'Z' ? 1 : 3;
}

}  // namespace espalier::app
