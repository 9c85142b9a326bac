#include "tasks/examples/input_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <espalier/base/error.h>

#include "data/data_set.h"
#include "data/folders.h"

namespace espalier::app {

std::string input_file(const std::string& data, const std::string& path) {
  std::error_code unreadable;
  if (std::filesystem::exists(path, unreadable)) return path;
  if (std::filesystem::path(path).is_absolute()) throw DataError(fmt::format("there is no file {}", path));
  const bool is_published = data_set_of(path.substr(0, path.find('|'))) != nullptr;
  if (is_published || find_data(data, path)) return data_file(data, path);
  throw DataError(
      fmt::format("there is no file {} in the working directory, {}", path, fmt::join(data_folders(data), ", ")));
}

}  // namespace espalier::app
