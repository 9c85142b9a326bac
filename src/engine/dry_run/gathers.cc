// The gathers of a dry run and their reasons. Inputs of a cell with the same shape and reason share one entry.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/dry_run/dry_run_plan.h"

namespace espalier::detail {
namespace {

class Gathers {
 public:
  explicit Gathers(const DryRunPlan& planned) : tape_(planned.tape), layout_(planned.layout), labels_(planned.labels) {
    std::vector<size_t> place(tape_.cells.size(), layout_.batches.size());
    for (size_t r = 0; r < layout_.batches.size(); ++r) {
      size_t& at = place[layout_.batches[r].cell];
      if (at == layout_.batches.size()) {
        at = batches_.size();
        batches_.emplace_back();
      }
      batches_[at].push_back(r);
    }
  }

  std::vector<DryRun::Gather> list(const std::vector<size_t>& cells) const {
    std::vector<DryRun::Gather> all;
    for (const Batches& batches : batches_) {
      const CellBatch& batch = layout_.batches[batches[0]];
      for (const auto& [why, inputs] : reasons_of(batches)) {
        const RowInput& in = batch.program->rows[inputs[0]];
        DryRun::Gather g{cells[batch.cell], {}, in.shape, 0, 0, why};
        for (const size_t j : inputs) {
          g.inputs += (g.inputs.empty() ? "" : " and ") + batch.program->rows[j].name;
          for (const size_t r : batches)
            if (gathered(r, j)) g.rows += layout_.rows_in(layout_.batches[r], in.space);
        }
        g.bytes = g.rows * static_cast<uint64_t>(in.shape.size()) * sizeof(float);
        all.push_back(std::move(g));
      }
    }
    return all;
  }

 private:
  using Batches = std::vector<size_t>;  // the batches of one cell: one, or one per step if rows are reused
  bool gathered(size_t batch, size_t j) const {
    return layout_.inputs[layout_.batches[batch].first_input + j].gathered;
  }

  using Reasons = std::vector<std::pair<std::string, std::vector<size_t>>>;  // reason, inputs
  Reasons reasons_of(const Batches& batches) const {
    Reasons reasons;
    const auto& rows = layout_.batches[batches[0]].program->rows;
    for (size_t j = 0; j < rows.size(); ++j) {
      if (std::ranges::none_of(batches, [&](size_t r) { return gathered(r, j); })) continue;
      const std::string why = reason(batches[0], j);
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

  // Why input j of the cell of `batch` is gathered. An input is read in place only if the rows of every step have the
  // same positive stride.
  std::string reason(size_t batch, size_t j) const {
    std::string first;
    size_t obstacles = 0, count = 0;
    for (size_t s = 0; s < layout_.steps.size(); ++s) {
      if (layout_.batches[layout_.steps[s].batch].cell != layout_.batches[batch].cell) continue;
      ++count;
      const std::string found = obstacle(layout_.steps[s], j);
      if (found.empty()) continue;
      if (++obstacles == 1) first = fmt::format("step {} {}", s + 1, found);
    }
    const Code& code = layout_.batches[batch].program->code;
    if (obstacles == 0 && code.buffers[static_cast<size_t>(code.input_buffer[j])].inside >= 0)
      return "copied to where it is part of a concat";
    if (obstacles == 0)
      return fmt::format("its {} steps read separate regions, and the weight gradient is one product over all of them",
                         count);
    return first + (obstacles == 1 ? "" : fmt::format(" ({} of its {} steps need the gather)", obstacles, count));
  }

  // Why the rows of a step cannot be read in place; empty if they can.
  std::string obstacle(const BatchRows& step, size_t j) const {
    const CellBatch& batch = layout_.batches[step.batch];
    std::vector<uint32_t> values;
    for (uint32_t row = step.first; row < step.first + step.rows; ++row)
      for (uint32_t v : tape_.row_values(layout_.calls[batch.first_call + row], j)) values.push_back(tape_.source(v));
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
  std::vector<Batches> batches_;  // per cell, in the order of their first batches
};

}  // namespace

std::vector<DryRun::Gather> gathers_in(const DryRunPlan& planned, const std::vector<size_t>& cells) {
  return Gathers(planned).list(cells);
}

}  // namespace espalier::detail
