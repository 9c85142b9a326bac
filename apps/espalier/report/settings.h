// Settings of several runs: which differ, and which are the same.
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

  std::vector<std::string> different;        // runs of one task differ, or runs of two tasks that both have it
  Entries shared;                            // all runs have the same value
  std::map<std::string, Entries> of_task{};  // by task: the other settings, which only some tasks have
};

// A fact that a run also tells elsewhere (its model) is left out.
Settings compare_settings(const std::vector<Run>& runs);

inline bool all_equal(const std::vector<Run>& runs, std::string Run::* member) {
  return std::ranges::all_of(runs, [&](const Run& run) { return run.*member == runs.front().*member; });
}

}  // namespace espalier::app::report
