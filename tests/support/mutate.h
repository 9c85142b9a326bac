// Mutator: valid inputs with a few random changes, the same on every platform.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/draw.h"

namespace espalier::test {

class Mutator {
 public:
  // Pieces are tokens of the format, inserted at random positions.
  Mutator(std::vector<std::string> valid, std::vector<std::string> pieces)
      : valid_(std::move(valid)), pieces_(std::move(pieces)) {}

  // Returns input `number`, which depends only on the constructor's arguments and this number.
  std::string operator()(uint64_t number) const {
    Draw draw(number);
    std::string bytes = pick(valid_, draw);
    for (uint64_t changes = 1 + draw.below(draw.below(4) == 0 ? 12 : 3); changes > 0; --changes) {
      if (bytes.empty()) bytes = pick(pieces_, draw);
      change(bytes, draw);
    }
    return bytes;
  }

 private:
  static const std::string& pick(const std::vector<std::string>& from, Draw& draw) {
    return from[draw.below(from.size())];
  }

  void change(std::string& bytes, Draw& draw) const {
    const size_t at = draw.below(bytes.size());
    switch (draw.below(12)) {
      case 0:
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw.below(8)));
        break;
      case 2:
        bytes[at] = static_cast<char>(draw.below(256));
        break;
      case 3:
        bytes.erase(at, 1 + draw.below(8));
        break;
      case 4:
        if (draw.below(4) == 0) bytes.resize(at);  // truncated
        break;
      case 5:
      case 6:
        bytes.insert(at, pick(pieces_, draw));
        break;
      case 7:
        bytes.insert(at, bytes.substr(draw.below(bytes.size()), draw.below(60)));
        break;
      case 8: {  // the end of another input
        const std::string& other = pick(valid_, draw);
        bytes.resize(at);
        bytes += other.substr(draw.below(other.size() + 1));
        break;
      }
      case 9:
        number_in_bytes(bytes, at, draw);
        break;
      case 10:
        number_in_text(bytes, at, draw);
        break;
      case 11:  // deep nesting or a long run
        if (draw.below(8) == 0) {
          std::string many;
          const std::string& piece = pick(pieces_, draw);
          for (uint64_t n = draw.below(3000); n > 0; --n) many += piece;
          bytes.insert(at, many);
        }
        break;
    }
  }

  // Values at which lengths and offsets overflow.
  static uint64_t telling(Draw& draw) {
    const uint64_t near = draw.below(5) - 2;  // wraps: -2 … 2
    const uint64_t around[] = {0,
                               uint64_t{1} << 7,
                               uint64_t{1} << 8,
                               uint64_t{1} << 15,
                               uint64_t{1} << 16,
                               uint64_t{1} << 31,
                               uint64_t{1} << 32,
                               uint64_t{1} << 63,
                               draw.below(1000)};
    return around[draw.below(std::size(around))] + near;
  }
  static void number_in_bytes(std::string& bytes, size_t at, Draw& draw) {
    const uint64_t value = telling(draw);
    const size_t width = std::min(bytes.size() - at, size_t{1} << draw.below(4));
    std::memcpy(bytes.data() + at, &value, width);
  }
  static void number_in_text(std::string& bytes, size_t at, Draw& draw) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto begin = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), is_digit);
    const auto end = std::find_if_not(begin, bytes.end(), is_digit);
    bytes.replace(begin, end, (draw.below(6) == 0 ? "-" : "") + std::to_string(telling(draw)));
  }

  std::vector<std::string> valid_, pieces_;
};

}  // namespace espalier::test
