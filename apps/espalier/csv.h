// One line of comma-separated values, as in RFC 4180. data::Table reads whole files.
#pragma once
#include <string>
#include <vector>

namespace espalier::app {

// A field in double quotes if it needs them: a, "b, c".
std::string csv_field(const std::string& text);

// All fields, separated by commas.
std::string csv_line(const std::vector<std::string>& fields);

// The fields of a line, without blanks around them. DataError, beginning with `name`: a quote is not closed, or two
// fields are equal.
std::vector<std::string> fields_of_csv_line(const std::string& line, const std::string& name);

}  // namespace espalier::app
