#include "tasks/examples/input_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "task/training_task.h"

namespace espalier::app {

std::string input_file(const std::string& data, const std::string& path) {
  std::error_code unreadable;
  if (std::filesystem::exists(path, unreadable)) return path;
  if (std::filesystem::path(path).is_absolute()) throw DataError(fmt::format("{}: there is no such file", path));
  return data_file(data, path);
}

}  // namespace espalier::app
