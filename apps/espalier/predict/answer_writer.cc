#include "predict/answer_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "csv.h"

namespace espalier::app {
namespace {

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void flatten(const std::string& name, const Json& value, Json& flat) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(name.empty() ? key : name + '.' + key, inner, flat);
  } else if (value.is_array()) {
    std::string joined;
    for (const Json& element : value) joined += (joined.empty() ? "" : " ") + text_of(element);
    flat[name] = joined;
  } else {
    flat[name] = value;
  }
}

}  // namespace

void AnswerWriter::write(const Json& answer) {
  if (!csv_) {
    fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    return;
  }
  Json flat = Json::object();
  flatten("", answer, flat);
  if (columns_.empty() && answer.contains("error")) {
    kept_.push_back(std::move(flat));
    return;
  }
  if (columns_.empty()) write_header(flat);
  write_row(flat);
}

void AnswerWriter::finish() {
  if (!kept_.empty()) write_header(kept_.front());
}

void AnswerWriter::write_header(const Json& flat) {
  for (const auto& [name, value] : flat.items())
    if (name != "error" && name != "line") columns_.push_back(name);
  columns_.insert(columns_.end(), {"error", "line"});
  fmt::print("{}\n", csv_line(columns_));
  for (const Json& row : std::exchange(kept_, {})) write_row(row);
}

void AnswerWriter::write_row(const Json& flat) const {
  std::vector<std::string> fields;
  for (const std::string& column : columns_) fields.push_back(text_of(flat.value(column, Json())));
  fmt::print("{}\n", csv_line(fields));
}

}  // namespace espalier::app
