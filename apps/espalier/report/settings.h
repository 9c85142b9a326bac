// Compares the settings of several runs.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/run.h"

namespace espalier::app::report {

struct Settings {
  using Entries = std::vector<std::pair<std::string, std::string>>;  // name and value

  std::vector<std::string> different;  // differ between runs of a task, or between tasks that both have the setting
  Entries shared;                      // equal in all runs
  std::map<std::string, Entries> of_task{};  // by task: settings that only some tasks have
};

// Omits the setting "model" if it equals Run::model.
Settings compare_settings(const std::vector<Run>& runs);

inline bool all_equal(const std::vector<Run>& runs, std::string Run::* member) {
  return std::ranges::all_of(runs, [&](const Run& run) { return run.*member == runs.front().*member; });
}

}  // namespace espalier::app::report
