// The path of an input file that a user names.
#pragma once
#include <string>

namespace espalier::app {

// `path` if it exists relative to the working directory, else the file in the data folders: data_file(data, path) in
// data/folders.h. DataError: neither exists.
std::string input_file(const std::string& data, const std::string& path);

}  // namespace espalier::app
