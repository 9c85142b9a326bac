// The folders in which data sets are found.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace espalier::app {

// The folders to search, in order: only `given`, or if it is empty: $ESPALIER_DATA, ./data, and the folder of the user,
// $XDG_DATA_HOME/espalier or ~/.local/share/espalier.
std::vector<std::string> data_folders(const std::string& given);

// The folder that `data get` writes to: `given`, else $ESPALIER_DATA, else ./data if it exists, else that of the user.
// Error: there is none.
std::string target_folder(const std::string& given);

// The path of `name` in a folder; X.gz also stands for X and X for X.gz. nullopt: it does not exist.
std::optional<std::string> find_in(const std::string& folder, const std::string& name);

// The path of a file or folder with data: the first that exists, in the order of the folders. `names` are one or
// several alternatives, separated by |. DataError: none exists; the message names the folders and the command that gets
// the file.
std::string data_file(const std::string& data, const std::string& names);

// The first path that exists; nullopt: none.
std::optional<std::string> find_data(const std::string& data, const std::string& names);

// The argument of a shell command, quoted if necessary.
std::string quoted(const std::string& argument);

}  // namespace espalier::app
