// What is gathered, and why: an entry for the inputs of a cell that share shape and reason.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/dry_run/trial.h"

namespace espalier::detail {
namespace {

class Gathers {
 public:
  explicit Gathers(const Trial& trial) : tape_(trial.tape), layout_(trial.layout), labels_(trial.labels) {
    std::vector<size_t> place(tape_.cells.size(), layout_.runs.size());
    for (size_t r = 0; r < layout_.runs.size(); ++r) {
      size_t& at = place[layout_.runs[r].cell];
      if (at == layout_.runs.size()) {
        at = runs_.size();
        runs_.emplace_back();
      }
      runs_[at].push_back(r);
    }
  }

  std::vector<DryRun::Gather> list(const std::vector<size_t>& cells) const {
    std::vector<DryRun::Gather> all;
    for (const Runs& runs : runs_) {
      const CellRun& run = layout_.runs[runs[0]];
      for (const auto& [why, inputs] : reasons_of(runs)) {
        const RowInput& in = run.program->rows[inputs[0]];
        DryRun::Gather g{cells[run.cell], {}, in.shape, 0, 0, why};
        for (const size_t j : inputs) {
          g.inputs += (g.inputs.empty() ? "" : " and ") + run.program->rows[j].name;
          for (const size_t r : runs)
            if (gathered(r, j)) g.rows += layout_.rows_in(layout_.runs[r], in.space);
        }
        g.bytes = g.rows * static_cast<uint64_t>(in.shape.size()) * sizeof(float);
        all.push_back(std::move(g));
      }
    }
    return all;
  }

 private:
  using Runs = std::vector<size_t>;  // of one cell: where rows are reused, each of its steps is one
  bool gathered(size_t run, size_t j) const { return layout_.inputs[layout_.runs[run].first_input + j].gathered; }

  using Reasons = std::vector<std::pair<std::string, std::vector<size_t>>>;  // and the inputs that have it
  Reasons reasons_of(const Runs& runs) const {
    Reasons reasons;
    const auto& rows = layout_.runs[runs[0]].program->rows;
    for (size_t j = 0; j < rows.size(); ++j) {
      if (std::ranges::none_of(runs, [&](size_t r) { return gathered(r, j); })) continue;
      const std::string why = reason(runs[0], j);
      const auto same = std::find_if(reasons.begin(), reasons.end(), [&](const auto& known) {
        const RowInput& first = rows[known.second[0]];
        return known.first == why && first.shape == rows[j].shape && first.space == rows[j].space;
      });
      if (same == reasons.end()) {
        reasons.push_back({why, {j}});
      } else {
        same->second.push_back(j);
      }
    }
    return reasons;
  }

  // `run` is one of the cell's. An input is read in place only if the rows of every step stand at equal distances, in
  // ascending order.
  std::string reason(size_t run, size_t j) const {
    std::string first;
    size_t obstacles = 0, count = 0;
    for (size_t s = 0; s < layout_.steps.size(); ++s) {
      if (layout_.runs[layout_.steps[s].run].cell != layout_.runs[run].cell) continue;
      ++count;
      const std::string found = obstacle(layout_.steps[s], j);
      if (found.empty()) continue;
      if (++obstacles == 1) first = fmt::format("step {} {}", s + 1, found);
    }
    const Code& code = layout_.runs[run].program->code;
    if (obstacles == 0 && code.buffers[static_cast<size_t>(code.input_buffer[j])].inside >= 0)
      return "copied to where it is part of a concat";
    if (obstacles == 0)
      return fmt::format("its {} steps read places apart, and a weight gradient is one product over all of them",
                         count);
    return first + (obstacles == 1 ? "" : fmt::format(" ({} of its {} steps need the gather)", obstacles, count));
  }

  // Why the rows of a step cannot be read in place; empty if they can.
  std::string obstacle(const RunStep& step, size_t j) const {
    const CellRun& run = layout_.runs[step.run];
    std::vector<uint32_t> values;
    for (uint32_t row = step.first; row < step.first + step.rows; ++row)
      for (uint32_t v : tape_.row_values(layout_.calls[run.first_call + row], j)) values.push_back(tape_.source(v));
    std::set<std::string> producers;
    for (uint32_t v : values) producers.insert(labels_[tape_.call[tape_.value[v].call].cell]);
    bool even = true, ascending = true;
    for (size_t i = 1; i < values.size(); ++i) {
      ascending = ascending && place(values[i]) > place(values[i - 1]);
      even = even && place(values[i]) - place(values[i - 1]) == place(values[1]) - place(values[0]);
    }
    if (even && ascending) return "";
    if (producers.size() > 1) return fmt::format("mixes rows of {}", fmt::join(producers, " and "));
    const std::string& name = *producers.begin();
    if (std::set<uint32_t>(values.begin(), values.end()).size() < values.size())
      return fmt::format("reads a row of {} more than once", name);
    if (!ascending) return fmt::format("reads rows of {} in another order than they were written", name);
    return fmt::format("reads rows of {} at uneven distances", name);
  }
  int64_t place(uint32_t value) const { return layout_.unit_of[value]; }

  const GraphTape& tape_;
  const Layout& layout_;
  const std::vector<std::string>& labels_;
  std::vector<Runs> runs_;  // of each cell, in the order of their first
};

}  // namespace

std::vector<DryRun::Gather> gathers_in(const Trial& trial, const std::vector<size_t>& cells) {
  return Gathers(trial).list(cells);
}

}  // namespace espalier::detail
