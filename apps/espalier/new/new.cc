// espalier new: writes a small project that builds against the installed package.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <espalier/base/error.h>
#include "command.h"
#include "io/writer.h"
#include "new/files.h"
#include "say.h"

namespace espalier::app {
namespace {

namespace fs = std::filesystem;

// The name becomes a folder, a CMake project and a target.
void check_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool valid = !name.empty() && letter(name[0]) && std::ranges::all_of(name, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!valid)
    throw Error(
        fmt::format("'{}' is not a valid project name; use letters, digits, - and _, starting with a letter", name));
  for (const char* taken : {"all", "clean", "edit_cache", "help", "install", "package", "rebuild_cache", "test"})
    if (name == taken)
      throw Error(fmt::format("'{}' is not a valid project name; CMake reserves it as a target", name));
}

void check_folder(const std::string& name) {
  std::error_code none;
  const fs::file_status status = fs::status(name, none);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw Error(fmt::format("{} exists and is not a folder; nothing was written", name));
  if (!fs::is_empty(name)) throw Error(fmt::format("{} exists and is not empty; nothing was written", name));
}

std::string filled(std::string_view text, const std::string& name) {
  constexpr std::string_view mark = "@NAME@";
  std::string result;
  for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    result += std::string(text.substr(0, at)) + name;
    text.remove_prefix(at + mark.size());
  }
  return result += text;
}

int make(const std::string& name) {
  check_name(name);
  check_folder(name);
  std::error_code error;
  fs::create_directories(name, error);
  if (error) throw Error(fmt::format("{} cannot be created: {}", name, error.message()));
  for (const NewFile& file : new_files) {
    const std::string path = fmt::format("{}/{}", name, file.name);
    io::write_text(path, filled(file.text, name));
    fmt::print("{}\n", path);
  }
  say("{}/README.md explains how to build and run it", name);
  return ok;
}

}  // namespace

void add_new(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("new", "Create a new project");
  app->footer(
      "Creates a folder with a CMakeLists.txt for the installed package and a main.cc that trains a small network on\n"
      "trees: data, model, training, evaluation and saving, as a starting point. Prints the paths to stdout.");
  const auto name = std::make_shared<std::string>();
  app->add_option("NAME", *name, "Name of the project and its folder")->required()->type_name("");
  app->callback([=] { *chosen = [=] { return make(*name); }; });
}

}  // namespace espalier::app
