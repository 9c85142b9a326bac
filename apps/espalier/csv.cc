#include "csv.h"

#include <sstream>

#include <espalier/data/table.h>

namespace espalier::app {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return line;
}

std::vector<std::string> fields_of_csv_line(const std::string& line, const std::string& name) {
  std::istringstream text(line);
  return data::Table({text, name}).columns();
}

}  // namespace espalier::app
