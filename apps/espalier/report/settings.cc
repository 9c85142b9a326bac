#include "report/settings.h"

#include <optional>
#include <set>

namespace espalier::app::report {
namespace {

using Value = std::optional<std::string>;  // nullopt: the run lacks the setting

Value value_in(const Run& run, const std::string& name) {
  const auto found = run.settings.find(name);
  return found == run.settings.end() ? Value() : Value(found->second);
}

// Whether the setting differs between two runs of one task (it may be missing in one), or between runs that have it.
bool differs(const std::vector<Run>& runs, const std::string& name) {
  std::set<std::string> values;
  std::map<std::string, Value> of_task;
  for (const Run& run : runs) {
    const Value value = value_in(run, name);
    if (of_task.emplace(run.task, value).first->second != value) return true;
    if (value) values.insert(*value);
  }
  return values.size() > 1;
}

bool repeats_model(const std::vector<Run>& runs, const std::string& name) {
  return name == "model" && std::ranges::all_of(runs, [&](const Run& run) { return value_in(run, name) == run.model; });
}

}  // namespace

Settings compare_settings(const std::vector<Run>& runs) {
  std::set<std::string> names;
  for (const Run& run : runs)
    for (const auto& [name, value] : run.settings) names.insert(name);
  Settings result;
  if (!runs.front().model.empty() && all_equal(runs, &Run::model))
    result.shared.emplace_back("model", runs.front().model);
  for (const std::string& name : names) {
    if (repeats_model(runs, name)) continue;
    if (differs(runs, name)) {
      result.different.push_back(name);
    } else if (std::ranges::all_of(runs, [&](const Run& run) { return value_in(run, name).has_value(); })) {
      result.shared.emplace_back(name, runs.front().settings.at(name));
    } else {
      std::map<std::string, std::string> of_task;
      for (const Run& run : runs)
        if (const Value value = value_in(run, name)) of_task.emplace(run.task, *value);
      for (const auto& [task, value] : of_task) result.of_task[task].emplace_back(name, value);
    }
  }
  return result;
}

}  // namespace espalier::app::report
