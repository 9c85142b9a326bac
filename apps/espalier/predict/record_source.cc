#include "predict/record_source.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <espalier/data/table.h>

namespace espalier::app {
namespace {

bool is_empty_line(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

class LineRecords : public RecordAssembler {
 public:
  void add(const std::string& line, size_t number) override { ready.push_back({.text = line, .line = number}); }
};

// The "id" of a JSON record is copied; an invalid record has none.
Json id_of(const std::string& text, const std::string& field) {
  if (!text.starts_with('{')) return nullptr;
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object()) return nullptr;
  const auto id = record.find(field);
  return id == record.end() ? Json() : *id;
}

// Lines up to the last closing bracket. A record ends early, and is invalid, where no JSON value can go on: at the end
// of a line inside a string, at the wrong closing bracket, and before a line whose first character cannot follow. So
// one broken record does not take the others with it.
class JsonRecords : public RecordAssembler {
 public:
  explicit JsonRecords(std::string field) : field_(std::move(field)) {}

  void add(const std::string& line, size_t number) override {
    if (!open_.empty() && !may_follow(line)) end_record();
    if (open_.empty() && spans_lines_ && is_empty_line(line)) return;
    if (open_.empty()) line_ = number;
    spans_lines_ = line_ < number;
    text_ += (open_.empty() ? "" : "\n") + line;
    if (!read(line)) open_.clear();
    if (open_.empty()) end_record();
  }
  void finish() override {
    if (!open_.empty()) end_record();
  }

 private:
  // Whether a line that begins with '{' can be inside the record: in an array, or as the value of a field.
  bool may_follow(const std::string& line) const {
    if (!line.starts_with('{')) return true;
    return last_ == ':' || last_ == '[' || (last_ == ',' && open_.back() == '[');
  }
  // Tracks the open brackets. False: the record cannot go on.
  bool read(const std::string& line) {
    bool in_string = false;
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == ' ' || c == '\t' || c == '\r') continue;
      last_ = c;
      if (in_string) {
        if (c == '\\') ++i;
        in_string = c != '"';
        continue;
      }
      in_string = c == '"';
      if (c == '{' || c == '[') open_ += c;
      if (c != '}' && c != ']') continue;
      if (!open_.ends_with(c == '}' ? '{' : '[')) return false;
      open_.pop_back();
      if (open_.empty()) return true;  // text after the record is part of it, and makes it invalid
    }
    return !in_string;
  }
  void end_record() {
    open_.clear();
    ready.push_back({.text = text_, .line = line_, .id = id_of(text_, field_)});
    text_.clear();
  }

  std::string field_;
  std::string text_;  // of the record so far
  std::string open_;  // its open brackets; empty between records
  size_t line_ = 0;
  char last_ = 0;             // its last character that is not a blank
  bool spans_lines_ = false;  // the last record does, so that an empty line may follow
};

// One array of records. Cuts at the commas outside of strings and brackets.
class JsonArray : public RecordAssembler {
 public:
  explicit JsonArray(std::string field) : field_(std::move(field)) {}

  void add(const std::string& line, size_t number) override {
    for (const char c : line) add(c, number);
    if (depth_ > 1) text_ += '\n';
  }
  void finish() override {
    if (!is_closed_) ready.push_back({.line = line_, .error = "the array of records is not closed"});
  }

 private:
  void add(char c, size_t number) {
    if (is_closed_) {
      if (c != ' ' && c != '\t' && !has_rest_)
        ready.push_back({.line = number, .error = "text after the array of records"});
      has_rest_ = has_rest_ || (c != ' ' && c != '\t');
      return;
    }
    const bool outside = depth_ == 1 && !in_string_;
    if (depth_ == 0) {  // the opening bracket; blanks may precede it
      depth_ = c == '[' ? 1 : 0;
      line_ = number;
      return;
    }
    if (outside && (c == ',' || c == ']')) {
      if (c == ',' || !is_empty_line(text_) || count_ > 0) end_record();
      is_closed_ = c == ']';
      return;
    }
    if (is_empty_line(text_)) {
      text_.clear();
      line_ = number;
    }
    text_ += c;
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
      return;
    }
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    if ((c == '}' || c == ']') && depth_ > 1) --depth_;
  }
  void end_record() {
    ++count_;
    ready.push_back({.text = text_, .line = line_, .id = id_of(text_, field_)});
    text_.clear();
  }

  std::string field_;
  std::string text_;  // of the record so far
  size_t line_ = 1, count_ = 0;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false, is_closed_ = false, has_rest_ = false;
};

// Consecutive lines up to a blank one.
class Blocks : public RecordAssembler {
 public:
  void add(const std::string& line, size_t number) override {
    if (is_empty_line(line)) return finish();
    if (text_.empty()) line_ = number;
    text_ += line + '\n';
  }
  void finish() override {
    if (!text_.empty()) ready.push_back({.text = std::exchange(text_, {}), .line = line_});
  }

 private:
  std::string text_;
  size_t line_ = 0;
};

ptrdiff_t depth_of(const std::string& line) { return std::ranges::count(line, '(') - std::ranges::count(line, ')'); }

// Lines up to the last closing parenthesis. A complete tree at the beginning of a line ends a tree that lacks a
// parenthesis, so that one broken tree does not take the others with it.
class Brackets : public RecordAssembler {
 public:
  void add(const std::string& line, size_t number) override {
    if (depth_ > 0 && line.starts_with('(') && depth_of(line) == 0) finish();
    if (text_.empty()) line_ = number;
    text_ += (depth_ > 0 ? "\n" : "") + line;
    depth_ += depth_of(line);
    if (depth_ <= 0) end_record();
  }
  void finish() override {
    if (depth_ > 0) end_record();
  }

 private:
  void end_record() {
    depth_ = 0;
    ready.push_back({.text = std::exchange(text_, {}), .line = line_});
  }

  std::string text_;
  size_t line_ = 0;
  ptrdiff_t depth_ = 0;
};

std::optional<std::vector<std::string>> csv_header(const std::string& line) {
  try {
    std::istringstream text(line);
    return data::Table({text, "line"}).columns();
  } catch (const DataError&) {
    return {};
  }
}

// A quoted field may contain line ends. If its closing quote is missing, the record's first line is invalid, and the
// lines after it are read as records of their own.
class CsvRecords : public RecordAssembler {
 public:
  CsvRecords(std::string header, const std::string& column, const std::string& id_column)
      : header_(std::move(header)),
        column_(column),
        id_column_(id_column),
        columns_(csv_header(header_).value_or(std::vector<std::string>()).size()) {}

  void add(const std::string& line, size_t number) override {
    lines_.push_back({line, number});
    read_lines();
  }
  void finish() override {
    while (begin_ < lines_.size()) {
      end_record(begin_ + 1);
      read_lines();
    }
  }

 private:
  struct NumberedLine {
    std::string text;
    size_t number;
  };
  enum class Quotes { closed, open, invalid };

  // Linear in the size of the input: a line is read again only if a missing quote left it in another record, and such a
  // record ends at the first field too many.
  void read_lines() {
    while (end_ < lines_.size()) {
      const std::string& line = lines_[end_++].text;
      if (end_ == begin_ + 1 && is_empty_line(line)) {
        begin_ = end_;
        continue;
      }
      bytes_ += line.size();
      const Quotes quotes = read(line);
      if (quotes == Quotes::closed)
        end_record(end_);
      else if (quotes == Quotes::invalid || bytes_ > LineSource::longest)
        end_record(begin_ + 1);
    }
    if (begin_ == 0) return;
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(begin_));
    end_ -= std::exchange(begin_, 0);
  }

  // The state after the next line of the record. Invalid: text after a closing quote, or more fields than columns
  // before the end of the record.
  Quotes read(const std::string& line) {
    const bool is_first = end_ == begin_ + 1;
    for (size_t at = 0;; ++at) {  // a field, or the rest of one
      if (!in_quotes_ && at < line.size() && line[at] == '"') {
        in_quotes_ = true;
        ++at;
      }
      if (in_quotes_) {
        at = line.find('"', at);
        while (at != std::string::npos && line.compare(at, 2, "\"\"") == 0) at = line.find('"', at + 2);
        if (at == std::string::npos) return fields_ < columns_ ? Quotes::open : Quotes::invalid;
        in_quotes_ = false;
        if (++at < line.size() && line[at] != ',') return Quotes::invalid;
      } else {
        at = std::min(line.find(',', at), line.size());
      }
      if (at == line.size()) return Quotes::closed;
      if (++fields_ >= columns_ && !is_first) return Quotes::invalid;
    }
  }

  // The record ends before line `end`.
  void end_record(size_t end) {
    const size_t first = lines_[begin_].number;
    std::string rows = header_;
    for (; begin_ < end; ++begin_) rows += '\n' + std::move(lines_[begin_].text);
    end_ = begin_;
    in_quotes_ = false;
    fields_ = bytes_ = 0;
    add_record(rows, first);
  }

  void add_record(const std::string& rows, size_t first_line) {
    Record& record = ready.emplace_back(Record{.line = first_line});
    try {
      std::istringstream text(rows);
      data::Table table({text, "line"});
      if (!table.next()) throw DataError("line:2:1: empty record");
      record.text = table.field(table.column(column_));
      if (!id_column_.empty()) record.id = std::string(table.field(table.column(id_column_)));
    } catch (const DataError& e) {
      record.error = e.what();  // the header is line 1, the record begins in line 2
      if (record.error.starts_with("line:2:")) record.error.replace(5, 1, "1");
    }
  }

  std::string header_, column_, id_column_;
  size_t columns_;
  std::deque<NumberedLine> lines_;  // not yet in `ready`
  size_t begin_ = 0, end_ = 0;      // the lines of the unfinished record
  size_t fields_ = 0, bytes_ = 0;   // complete fields and size of the unfinished record
  bool in_quotes_ = false;          // it ends inside a quoted field
};

}  // namespace

RecordSource::RecordSource(LineSource lines, PredictInput how, std::string id_column)
    : lines_(std::move(lines)), how_(std::move(how)), id_column_(std::move(id_column)) {}

std::unique_ptr<RecordAssembler> RecordSource::assembler_for(const std::string& first_line) const {
  const bool is_csv = lines_.name().ends_with(".csv") || lines_.name().ends_with(".csv.gz");
  if (is_csv && how_.csv_column.empty())
    throw DataError(lines_.name() + ": the model was not trained on CSV, and reads none");
  if (how_.kind == PredictInput::Kind::json) {
    const std::string field = id_column_.empty() ? "id" : id_column_;
    const size_t begin = first_line.find_first_not_of(" \t\r");
    if (begin != std::string::npos && first_line[begin] == '[') return std::make_unique<JsonArray>(field);
    return std::make_unique<JsonRecords>(field);
  }
  const auto columns = how_.csv_column.empty() ? std::nullopt : csv_header(first_line);
  if (columns && std::ranges::find(*columns, how_.csv_column) != columns->end()) {
    std::string id = id_column_;
    if (id.empty()) {
      const auto found = std::ranges::find_if(*columns, [](const std::string& c) { return lower(c) == "id"; });
      if (found != columns->end()) id = *found;
    } else {
      std::istringstream text(first_line);
      (void)data::Table({text, lines_.name()}).column(id);  // DataError: there is no such column
    }
    return std::make_unique<CsvRecords>(first_line, how_.csv_column, id);
  }
  if (is_csv) {
    std::istringstream text(first_line);
    (void)data::Table({text, lines_.name()}).column(how_.csv_column);  // DataError: there is no such column
  }
  if (!id_column_.empty() && !how_.csv_column.empty())
    throw DataError(fmt::format("--id {} needs CSV whose first line has a column '{}'; the input is not", id_column_,
                                how_.csv_column));
  if (!id_column_.empty()) throw DataError(fmt::format("--id {}: the examples of this task have no ids", id_column_));
  if (how_.kind == PredictInput::Kind::blocks) return std::make_unique<Blocks>();
  if (how_.kind == PredictInput::Kind::brackets) return std::make_unique<Brackets>();
  return std::make_unique<LineRecords>();
}

std::vector<Record> RecordSource::next(size_t most) {
  while (true) {
    const std::vector<Line> lines = lines_.next(most);
    for (const Line& line : lines) {
      ++number_;
      if (assembler_ == nullptr) {
        assembler_ = assembler_for(line.text);
        if (dynamic_cast<CsvRecords*>(assembler_.get()) != nullptr) continue;  // the header
      }
      if (line.too_long)
        assembler_->ready.push_back({.line = number_, .error = "the line has more than 64 MiB"});
      else
        assembler_->add(line.text, number_);
    }
    if (assembler_ == nullptr) return {};
    if (lines.empty() && !std::exchange(ended_, true)) assembler_->finish();
    if (!assembler_->ready.empty() || ended_) return std::exchange(assembler_->ready, {});
  }
}

}  // namespace espalier::app
