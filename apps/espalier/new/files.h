// The files of a new project. @NAME@ stands for its name.
#pragma once
#include <array>
#include <string_view>

namespace espalier::app {

struct NewFile {
  std::string_view name, text;
};
// tests/consumer builds and runs them.
extern const std::array<NewFile, 4> new_files;

}  // namespace espalier::app
