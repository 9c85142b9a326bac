// espalier data list: the data sets, and which of their files are present.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "data/commands.h"
#include "data/data_set.h"
#include "data/folders.h"

namespace espalier::app {
namespace {

using Json = nlohmann::ordered_json;

struct Presence {
  std::vector<std::string> folders;  // with at least one file
  std::vector<std::string> missing;  // files

  std::string state(const DataSet& set) const {
    return missing.empty() ? "complete" : missing.size() == set.files.size() ? "missing" : "partly";
  }
};

Presence look_for(const DataSet& set, const std::string& data) {
  Presence found;
  const std::vector<std::string> folders = data_folders(data);
  for (const DataFile& file : set.files) {
    const auto at = std::ranges::find_if(folders, [&](const std::string& folder) {
      return find_in(folder, file.path) || (!file.instead.empty() && find_in(folder, file.instead));
    });
    if (at == folders.end())
      found.missing.push_back(file.path);
    else if (std::ranges::find(found.folders, *at) == found.folders.end())
      found.folders.push_back(*at);
  }
  return found;
}

// 17,675,719 is 17.7 MB.
std::string size_text(uint64_t bytes) {
  if (bytes == 0) return "size unknown";
  return bytes < 1'000'000 ? fmt::format("{} kB", (bytes + 500) / 1000)
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

void print_row(const DataSet& set, const Presence& found) {
  std::string row = fmt::format("{:<14} {:<9} {}; {}; licence: {}", set.name, found.state(set), set.what,
                                size_text(set.download_bytes), set.licence);
  if (!set.tasks.empty()) row += fmt::format("; tasks: {}", fmt::join(set.tasks, ", "));
  if (!found.folders.empty()) row += fmt::format("; in {}", fmt::join(found.folders, ", "));
  if (!found.folders.empty() && !found.missing.empty())
    row += fmt::format("; missing: {}", fmt::join(found.missing, ", "));
  fmt::print("{}\n", row);
}

Json known(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json row_of(const DataSet& set, const Presence& found) {
  Json files = Json::array();
  for (const DataFile& file : set.files) {
    Json entry{{"path", file.path}, {"sha256", known(file.sha256)}, {"sha256_may_differ", file.may_differ}};
    if (!file.source.empty()) {
      entry["url"] = set.source(file.source).url;
      entry["url_tried"] = set.source(file.source).tried;
    }
    if (!file.member.empty()) entry["member"] = file.member;
    if (!file.made_from.empty()) entry["made_from"] = file.made_from;
    entry["published"] = file.is_published();
    files.push_back(std::move(entry));
  }
  return {{"name", set.name},
          {"what", set.what},
          {"download_bytes", set.download_bytes == 0 ? Json() : Json(set.download_bytes)},
          {"licence", set.licence},
          {"page", set.page},
          {"state", found.state(set)},
          {"folders", found.folders},
          {"missing", found.missing},
          {"tasks", set.tasks},
          {"files", std::move(files)},
          {"note", known(set.note)}};
}

int list_data(const std::string& data, bool json) {
  for (const DataSet& set : data_sets()) {
    const Presence found = look_for(set, data);
    if (json)
      fmt::print("{}\n", row_of(set, found).dump());
    else
      print_row(set, found);
  }
  return ok;
}

}  // namespace

void add_data_list(CLI::App& data, Command* chosen) {
  CLI::App* app = data.add_subcommand("list", "List the published data sets and which are present");
  const auto folder = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  app->footer("The addresses have not been tried yet; the field url_tried says so for each.");
  app->add_option("--data", *folder, "Folder to search [$ESPALIER_DATA, ./data, ~/.local/share/espalier]")
      ->type_name("DIR");
  app->add_flag("--json", *json, "Print one JSON object per data set, with its files and addresses");
  app->callback([=] { *chosen = [=] { return list_data(*folder, *json); }; });
}

}  // namespace espalier::app
