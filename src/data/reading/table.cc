#include <espalier/data/table.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_names.h"
#include "data/reading/number.h"
#include "text/file_position.h"

namespace espalier::data {

struct Table::State {
  struct Field {
    size_t begin, size;   // range in `text`
    size_t line, column;  // position in the file
  };

  explicit State(Lines l) : lines(std::move(l)) {}

  bool next_line() {
    at = 0;
    return lines.next();
  }
  std::string_view rest() const { return lines.line().substr(at); }
  FilePosition place() const { return {lines.name(), lines.number(), at + 1}; }

  bool next_row();
  void read_field();
  void read_quoted();

  Lines lines;
  size_t at = 0;     // read position in the line
  std::string text;  // the fields of the row, concatenated
  std::vector<Field> fields;
  std::vector<std::string> columns;
};

bool Table::State::next_row() {
  do {
    if (!next_line()) return false;
  } while (rest().empty());
  text.clear();
  fields.clear();
  for (;;) {
    read_field();
    if (rest().empty()) return true;
    ++at;  // skips the comma
  }
}

void Table::State::read_field() {
  const FilePosition begin = place();
  const size_t before = text.size();
  if (rest().starts_with('"')) {
    read_quoted();
  } else {
    const std::string_view plain = rest().substr(0, rest().find(','));
    text += plain;
    at += plain.size();
  }
  fields.push_back({before, text.size() - before, begin.line, begin.column});
}

void Table::State::read_quoted() {
  const FilePosition begin = place();
  const size_t before = text.size();
  ++at;
  for (;;) {
    const std::string_view left = rest();
    const size_t quote = left.find('"');
    text += left.substr(0, quote);
    if (text.size() - before > Lines::longest)
      begin.fail("the field is longer than " + std::to_string(Lines::longest) + " bytes");
    if (quote == std::string_view::npos) {
      if (!next_line()) begin.fail("the quote is not closed");
      text += '\n';
      continue;
    }
    at += quote + 1;
    if (rest().starts_with('"')) {
      text += '"';
      ++at;
    } else if (rest().empty() || rest().starts_with(',')) {
      return;
    } else {
      place().fail("text after a closing quote; expected a comma or the end of the line");
    }
  }
}

namespace {

// Why the names of the columns cannot be read; empty: they can.
std::string wrong_encoding(std::string_view header) {
  if (header.starts_with("\xff\xfe") || header.starts_with("\xfe\xff"))
    return "the file is encoded in UTF-16; expected UTF-8";
  if (header.find('\r') != std::string_view::npos) return "lines end with a carriage return only; expected a line feed";
  return "";
}

}  // namespace

Table::Table(Lines lines) : state_(std::make_unique<State>(std::move(lines))) {
  State& s = *state_;
  if (!s.next_row()) FilePosition{s.lines.name()}.fail("the table is empty; expected a header line with column names");
  if (const std::string wrong = wrong_encoding(s.text); !wrong.empty()) throw DataError(place(0) + wrong);
  for (size_t c = 0; c < s.fields.size(); ++c) {
    std::string name(field(c));
    for (const std::string& other : s.columns)
      if (name == other) throw DataError(place(c) + "two columns are named " + quoted(name));
    s.columns.push_back(std::move(name));
  }
}

Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;
Table::~Table() = default;

const std::vector<std::string>& Table::columns() const { return state_->columns; }

size_t Table::column(std::string_view name) const {
  const auto found = std::ranges::find(columns(), name);
  if (found != columns().end()) return static_cast<size_t>(found - columns().begin());
  const size_t count = columns().size();
  if (count == 1)
    for (const auto& [separator, called] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")})
      if (columns()[0].find(separator) != std::string::npos)
        throw DataError(state_->lines.name() + ":1:1: no column '" + std::string(name) +
                        "'; the fields are separated by " + called + "; expected commas");
  throw DataError(state_->lines.name() + ": no column '" + std::string(name) + "'" +
                  (count <= 5 ? "; the table has " : " among " + std::to_string(count) + "; the nearest are ") +
                  nearest_names(name, columns()));
}

bool Table::next() {
  State& s = *state_;
  if (!s.next_row()) return false;
  if (s.fields.size() != s.columns.size())
    throw DataError(place(0) + std::to_string(s.fields.size()) + " fields; expected " +
                    std::to_string(s.columns.size()));
  return true;
}

std::string_view Table::field(size_t column) const {
  const State::Field& f = state_->fields.at(column);
  return std::string_view(state_->text).substr(f.begin, f.size);
}

std::optional<double> Table::number(size_t column) const {
  std::string_view word = field(column);
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  if (word.empty()) return {};
  const auto value = parse_number<double>(word);
  if (!value || !std::isfinite(*value)) throw DataError(place(column) + quoted(word) + " is not a number");
  return value;
}

std::string Table::place(size_t column) const {
  const State::Field& f = state_->fields.at(column);
  return state_->lines.name() + ":" + std::to_string(f.line) + ":" + std::to_string(f.column) + ": ";
}

}  // namespace espalier::data
