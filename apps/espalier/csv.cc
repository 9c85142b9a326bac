#include "csv.h"

#include <algorithm>
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
  std::vector<std::string> fields = data::Table({text, name}).columns();
  for (std::string& field : fields) {
    field.erase(0, std::min(field.find_first_not_of(' '), field.size()));
    field.erase(field.find_last_not_of(' ') + 1);
  }
  return fields;
}

}  // namespace espalier::app
