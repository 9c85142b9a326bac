// Table: reads comma-separated values with a header line, row by row.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/text/lines.h>

namespace espalier::data {

// RFC 4180: a field in double quotes may contain commas, line ends and doubled quotes. Empty lines are skipped.
// Malformed input is a DataError, "esol.csv:3:17: …".
class ESPALIER_API Table {
 public:
  explicit Table(Lines lines);  // DataError: the header is missing or has a duplicate name
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;
  ~Table();

  const std::vector<std::string>& columns() const;
  size_t column(std::string_view name) const;  // DataError for an unknown name; the message lists the known ones

  // Advances to the next row; false at the end. DataError: the number of fields differs from the header, or a quote is
  // not closed.
  bool next();
  std::string_view field(size_t column) const;        // without quotes; valid until the next call of next()
  std::optional<double> number(size_t column) const;  // nullopt: empty or blank. DataError: not a number
  std::string place(size_t column) const;             // "esol.csv:3:17: ", the prefix for errors in this field

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace espalier::data
