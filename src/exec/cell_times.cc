#include "exec/cell_times.h"

#include <algorithm>
#include <vector>

namespace espalier {

CellTimes::Entry& CellTimes::of(std::span<const PlanStep> steps) {
  std::string name = str(steps.front().program->name);
  std::vector<const Program*> named{steps.front().program};
  for (const PlanStep& step : steps)
    if (std::ranges::find(named, step.program) == named.end()) {
      named.push_back(step.program);
      name += " + " + str(step.program->name);
    }
  Entry& entry = entries_[{std::move(name), steps.front().backward ? Part::backward : Part::forward}];
  entry.steps += steps.size();
  for (const PlanStep& step : steps) entry.rows += step.rows;
  return entry;
}

CellTimes::Entry& CellTimes::of(const detail::ParameterStorage& parameter, uint64_t rows) {
  Entry& entry = entries_[{str(parameter.name), Part::gradient}];
  ++entry.steps;
  entry.rows += rows;
  return entry;
}

void CellTimes::add(const CellTimes& more) {
  for (const auto& [key, entry] : more.entries_) {
    Entry& to = entries_[key];
    to.steps += entry.steps;
    to.rows += entry.rows;
    to.stats += entry.stats;
  }
}

void CellTimes::reset() {
  for (auto& [key, entry] : entries_) entry = {};
}

}  // namespace espalier
