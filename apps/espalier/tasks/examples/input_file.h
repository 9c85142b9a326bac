// input_file: the path of a file of examples named in a setting.
#pragma once
#include <string>

namespace espalier::app {

// `path` if it exists in the working directory or is absolute, else the path in the data folder. DataError: neither
// exists.
std::string input_file(const std::string& data, const std::string& path);

}  // namespace espalier::app
