#include "data/folders.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <espalier/base/error.h>

#include "data/data_set.h"

namespace espalier::app {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Empty: the environment has neither $XDG_DATA_HOME nor $HOME.
std::string folder_of_user() {
  if (const std::string xdg = variable("XDG_DATA_HOME"); xdg.starts_with('/')) return xdg + "/espalier";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.local/share/espalier";
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> all;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = names.find('|', begin);
    all.push_back(names.substr(begin, end - begin));
  }
  return all;
}

// The advice for a missing file.
std::string advice(const std::string& data, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const DataSet* set = data_set_of(name);
    if (set == nullptr) continue;
    const std::string command =
        fmt::format("espalier data get {}{}", set->name, data.empty() ? "" : " --data " + quoted(data));
    const auto is_published = [&](const DataFile& file) { return file.is_published() || !file.path.starts_with(name); };
    if (std::ranges::all_of(set->files, is_published)) return "get it with: " + command;
    return fmt::format("'{}' gets only a part: {}", command, set->note);
  }
  return "set its folder with --data";
}

}  // namespace

std::vector<std::string> data_folders(const std::string& given) {
  if (!given.empty()) return {given};
  std::vector<std::string> all;
  for (const std::string& folder : {variable("ESPALIER_DATA"), std::string("./data"), folder_of_user()})
    if (!folder.empty()) all.push_back(folder);
  return all;
}

std::string target_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string set = variable("ESPALIER_DATA"); !set.empty()) return set;
  std::error_code unreadable;
  if (fs::is_directory("data", unreadable)) return "./data";
  if (const std::string user = folder_of_user(); !user.empty()) return user;
  throw Error("there is no folder for data: HOME is not set; set the folder with --data");
}

std::optional<std::string> find_in(const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(folder) / name;
  std::string twin = name.ends_with(".gz") ? path.string().substr(0, path.string().size() - 3) : path.string() + ".gz";
  if (is_there(path)) return path.string();
  if (is_there(twin)) return twin;
  return {};
}

std::optional<std::string> find_data(const std::string& data, const std::string& names) {
  for (const std::string& folder : data_folders(data))
    for (const std::string& name : split(names))
      if (auto found = find_in(folder, name)) return found;
  return {};
}

std::string data_file(const std::string& data, const std::string& names) {
  if (auto found = find_data(data, names)) return *found;
  const std::vector<std::string> all = split(names);
  throw DataError(fmt::format("there is no {} in {}; {}", fmt::join(all, " or "), fmt::join(data_folders(data), ", "),
                              advice(data, all)));
}

std::string quoted(const std::string& argument) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("/._-+,:=@%", c) != nullptr; };
  if (!argument.empty() && std::ranges::all_of(argument, is_plain)) return argument;
  std::string all = "'";
  for (const char c : argument) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

}  // namespace espalier::app
