#include <espalier/data/word_vectors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <espalier/text/lines.h>

#include "data/reading/blank.h"
#include "data/reading/number.h"
#include "data/reading/words.h"
#include "text/file_position.h"

namespace espalier::data::word_vectors {
namespace {

std::string in_lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Parses a float; values too small for a float become zero.
std::optional<float> parse_float(std::string_view text) {
  if (const auto value = parse_number<float>(text)) return value;
  if (const auto value = parse_number<double>(text)) return static_cast<float>(*value);
  return {};
}

class Reading {
 public:
  Reading(const std::string& path, const Options& options) : lines_(path), filter_(options.only != nullptr) {
    if (!filter_) return;
    for (int i = 0; i < options.only->size(); ++i) {
      wanted_.add(options.only->word(i));
      wanted_.add(in_lower_case(options.only->word(i)));
    }
  }

  Table read() {
    while (lines_.next()) {
      std::string_view line = lines_.line();
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      if (line.empty() || (table_.columns == 0 && is_header(line))) continue;
      if (table_.columns == 0) count_columns(line);
      take(line);
    }
    if (table_.columns == 0) lines_.fail(1, "no vectors; expected one word and its vector per line");
    if (said_rows_ && *said_rows_ != table_.rows)
      lines_.fail(1, "the file has " + std::to_string(table_.rows) + " rows; its first line says " +
                         std::to_string(*said_rows_));
    return std::move(table_);
  }

 private:
  // "rows columns": two integers and nothing else.
  bool is_header(std::string_view line) {
    Words words(line);
    words.next();
    const auto rows = parse_number<uint64_t>(words.word());
    words.next();
    const auto columns = parse_number<int>(words.word());
    if (!rows || !columns || words.next()) return false;
    if (*columns < 1) lines_.fail(1, "vectors of " + std::to_string(*columns) + " elements; expected at least 1");
    said_rows_ = rows;
    table_.columns = *columns;
    return true;
  }

  void count_columns(std::string_view line) {
    Words words(line);
    words.next();
    while (words.next()) ++table_.columns;
    if (table_.columns == 0) lines_.fail(1, quoted(line) + " has no vector; expected a word and its vector");
  }

  void take(std::string_view line) {
    // Finds the vector from the end of the line, since the word may contain blanks.
    size_t begin = line.size();
    int columns = 0;
    for (; columns < table_.columns; ++columns) {
      size_t end = begin;
      while (end > 0 && is_blank(line[end - 1])) --end;
      size_t first = end;
      while (first > 0 && !is_blank(line[first - 1])) --first;
      if (first == 0) break;  // the first field is the word
      begin = first;
    }
    std::string_view word = line.substr(0, begin);
    while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
    if (word.empty() || is_blank(word[0])) lines_.fail(1, "the line begins with a blank; expected a word");
    if (columns < table_.columns) fail_count(word, columns);
    check_blanks(word);
    ++table_.rows;
    if (filter_ && wanted_.find(word) < 0) return;
    if (table_.words.find(word) >= 0) {
      ++table_.repeated;
      return;
    }
    for (Words numbers(line.substr(begin)); numbers.next();) {
      const auto value = parse_float(numbers.word());
      if (!value || !std::isfinite(*value))
        lines_.fail(begin + numbers.column(), quoted(numbers.word()) + " is not a finite number");
      table_.numbers.push_back(*value);
    }
    table_.words.add(word);
  }

  // A number inside a word with blanks means that the line has too many columns.
  void check_blanks(std::string_view word) const {
    Words parts(word);
    parts.next();
    while (parts.next())
      if (parse_float(parts.word())) {
        int columns = table_.columns + 1;
        while (parts.next()) ++columns;
        fail_count(word, columns);
      }
  }

  [[noreturn]] void fail_count(std::string_view word, int columns) const {
    lines_.fail(
        1, quoted(word) + " has " + std::to_string(columns) + " elements; expected " + std::to_string(table_.columns));
  }

  Lines lines_;
  const bool filter_;
  Vocabulary wanted_;
  std::optional<uint64_t> said_rows_;
  Table table_;
};

}  // namespace

std::span<const float> Table::find(std::string_view word, bool lower_case) const {
  int row = words.find(word);
  if (row < 0 && lower_case) row = words.find(in_lower_case(word));
  if (row < 0) return {};
  const auto n = static_cast<size_t>(columns);
  return std::span(numbers).subspan(static_cast<size_t>(row) * n, n);
}

Table read(const std::string& path, const Options& options) { return Reading(path, options).read(); }

}  // namespace espalier::data::word_vectors
