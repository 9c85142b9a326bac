// Splits a file into records by tracking brackets and strings; nlohmann parses each record.
#include <algorithm>
#include <string_view>

#include <espalier/base/error.h>
#include <espalier/json.h>

namespace espalier::json {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// nlohmann's error message without its error id, its position and the text read last, which may be long.
std::string reason(std::string_view what) {
  if (const size_t begin = what.find("column "); begin != std::string_view::npos)
    what = what.substr(std::min(what.find(": ", begin), what.size() - 2) + 2);
  else
    what = what.substr(what.find("] ") + 2);
  return std::string(what.substr(0, std::min<size_t>(what.find("; last read"), 200)));
}

std::string place_of(const std::string& file, size_t line, size_t column) {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

}  // namespace

// For errors at the end of the file: the line number is already one past the last line; at_ is past its end.
void Records::fail_at_end(const std::string& what) const {
  throw DataError(place_of(lines_.name(), lines_.number() - 1, at_ + 1) + what);
}

bool Records::skip_blanks() {
  for (;;) {
    if (started_)
      while (at_ < lines_.line().size() && is_blank(here())) ++at_;
    if (started_ && at_ < lines_.line().size()) return true;
    if (!lines_.next()) return false;
    started_ = true;
    at_ = 0;
  }
}

bool Records::begin() {
  const bool at_start = !started_;
  if (ended_) return false;
  const auto go_on = [&] {
    if (!skip_blanks()) fail_at_end("the file ends inside the array; expected ]");
  };
  if (!in_array_) {
    if (!skip_blanks()) return false;
    in_array_ = at_start && here() == '[';
    if (!in_array_) return true;
    ++at_;
  }
  go_on();
  if (here() == ']') {
    ++at_;
    ended_ = true;
    if (skip_blanks()) fail("text after the end of the array; expected the end of the file");
    return false;
  }
  if (count_ > 0) {
    if (here() != ',') fail("expected , or ] after a record");
    ++at_;
    go_on();
  }
  return true;
}

void Records::scan() {
  const size_t first_line = lines_.number();
  bytes_.clear();
  int depth = 0;
  bool in_string = false;
  for (;;) {
    const std::string_view line = lines_.line();
    for (; at_ < line.size(); ++at_) {
      const char c = line[at_];
      const bool is_open = c == '{' || c == '[', is_close = c == '}' || c == ']';
      if (!in_string && depth == 0 && (is_blank(c) || c == ',' || is_close)) {
        if (bytes_.empty()) fail(std::string("'") + c + "' where a record should begin");
        return;
      }
      bytes_ += c;
      if (bytes_.size() > longest) fail("the record is longer than " + std::to_string(longest) + " bytes");
      if (in_string) {
        if (c == '\\' && at_ + 1 < line.size()) bytes_ += line[++at_];
        in_string = c != '"';
      } else {
        in_string = c == '"';
        depth += is_open - is_close;
        if (depth > deepest) fail("the record is nested more than " + std::to_string(deepest) + " levels deep");
      }
      if (depth == 0 && !in_string && (is_close || c == '"')) {
        ++at_;
        return;
      }
    }
    if (depth == 0 && !in_string) return;
    bytes_ += '\n';
    if (!lines_.next())
      fail_at_end("the file ends inside the record that begins in line " + std::to_string(first_line));
    at_ = 0;
  }
}

bool Records::next(Json& record) {
  if (!begin()) return false;
  size_t line = lines_.number(), column = at_ + 1;
  place_ = place_of(lines_.name(), line, column);
  scan();
  const auto refuse = [&](const char* what) {
    throw DataError(place_of(lines_.name(), line, column) + "invalid JSON: " + reason(what));
  };
  try {
    record = Json::parse(bytes_);
  } catch (const Json::parse_error& e) {
    for (size_t i = 0; i + 1 < std::min(e.byte, bytes_.size() + 1); ++i)
      if (bytes_[i] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    refuse(e.what());
  } catch (const Json::exception& e) {
    refuse(e.what());
  }
  ++count_;
  return true;
}

std::vector<Json> read_records(text::Lines lines) {
  Records records(std::move(lines));
  std::vector<Json> all;
  for (Json record; records.next(record);) all.push_back(std::move(record));
  return all;
}

}  // namespace espalier::json
