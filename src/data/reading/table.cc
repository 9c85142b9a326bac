#include <espalier/data/table.h>

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "data/reading/number.h"
#include "data/reading/place.h"

namespace espalier::data {

struct Table::State {
  struct Field {
    size_t begin, size;   // in `text`
    size_t line, column;  // in the file
  };

  explicit State(Lines l) : lines(std::move(l)) {}

  bool next_line() {
    at = 0;
    return lines.next();
  }
  std::string_view rest() const { return lines.line().substr(at); }
  Place place() const { return {lines.name(), lines.number(), at + 1}; }

  bool next_row();
  void read_field();
  void read_quoted();

  Lines lines;
  size_t at = 0;     // of the line, what is read next
  std::string text;  // the fields of the row behind each other
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
    ++at;  // a comma
  }
}

void Table::State::read_field() {
  const Place begin = place();
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
  const Place begin = place();
  const size_t before = text.size();
  ++at;
  for (;;) {
    const std::string_view left = rest();
    const size_t quote = left.find('"');
    text += left.substr(0, quote);
    if (text.size() - before > Lines::longest)
      begin.fail("a field of more than " + std::to_string(Lines::longest) + " bytes");
    if (quote == std::string_view::npos) {
      if (!next_line()) begin.fail("a quote is not closed");
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
      place().fail("after a closing quote, a comma or the end of the line is needed");
    }
  }
}

Table::Table(Lines lines) : state_(std::make_unique<State>(std::move(lines))) {
  State& s = *state_;
  if (!s.next_row()) Place{s.lines.name()}.fail("a table needs a line with the names of its columns");
  for (size_t c = 0; c < s.fields.size(); ++c) {
    std::string name(field(c));
    for (const std::string& other : s.columns)
      if (name == other) throw DataError(place(c) + "two columns are called " + quoted(name));
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
  constexpr size_t most = 5;  // names in the message
  std::vector<std::string> names = columns();
  const bool all = names.size() <= most;
  if (!all) {
    std::vector<std::pair<size_t, size_t>> near;  // distance, position
    for (size_t i = 0; i < names.size(); ++i) near.emplace_back(edit_distance(name, names[i]), i);
    std::ranges::sort(near);
    names.clear();
    for (size_t i = 0; i < most; ++i) names.push_back(columns()[near[i].second]);
  }
  std::string list;
  for (const std::string& other : names) list += (list.empty() ? "'" : ", '") + other + "'";
  throw DataError(state_->lines.name() + ": there is no column '" + std::string(name) + "'" +
                  (all ? "; there are " : " among " + std::to_string(columns().size()) + "; the nearest are ") + list);
}

bool Table::next() {
  State& s = *state_;
  if (!s.next_row()) return false;
  if (s.fields.size() != s.columns.size())
    throw DataError(place(0) + std::to_string(s.fields.size()) + " fields; needed " + std::to_string(s.columns.size()));
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
  if (!value || !std::isfinite(*value)) throw DataError(place(column) + quoted(word) + " is no number");
  return value;
}

std::string Table::place(size_t column) const {
  const State::Field& f = state_->fields.at(column);
  return state_->lines.name() + ":" + std::to_string(f.line) + ":" + std::to_string(f.column) + ": ";
}

}  // namespace espalier::data
