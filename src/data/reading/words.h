// Words: splits a line at ASCII blanks. Other blanks, such as U+00A0, are part of a word.
#pragma once

#include <cstddef>
#include <string_view>

#include "data/reading/blank.h"

namespace espalier::data {

class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  bool next() {
    begin_ = end_;
    while (begin_ < line_.size() && is_blank(line_[begin_])) ++begin_;
    end_ = begin_;
    while (end_ < line_.size() && !is_blank(line_[end_])) ++end_;
    return end_ > begin_;
  }
  std::string_view word() const { return line_.substr(begin_, end_ - begin_); }
  size_t column() const { return begin_ + 1; }

 private:
  std::string_view line_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace espalier::data
