#include "tasks/words.h"

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

}  // namespace espalier::app
