// Tables of comma-separated values with a line of names on top, one row at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>

namespace espalier::data {

// RFC 4180: a field may stand in double quotes, and then holds commas, line ends and, doubled, quotes.
// Empty lines are skipped. What is wrong is a DataError, "esol.csv:3:17: …".
class ESPALIER_API Table {
 public:
  explicit Table(Lines lines);  // of a path or a stream. DataError: has no names, has one twice
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;
  ~Table();

  const std::vector<std::string>& columns() const;
  size_t column(std::string_view name) const;  // DataError, which names those there are

  // To the next row, if there is one. DataError: more or fewer fields than names, a quote that is not closed.
  bool next();
  std::string_view field(size_t column) const;        // without its quotes; until next() is called
  std::optional<double> number(size_t column) const;  // none: the field is empty or blank. DataError: no number
  std::string place(size_t column) const;             // "esol.csv:3:17: ", for what others find wrong with the field

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace espalier::data
