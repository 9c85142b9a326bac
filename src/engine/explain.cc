// explain: how a graph was batched, as text. The steps, how many calls each holds, what is gathered and why, what stayed
// alone and why. Planned anew from the tape, so it can be asked at any time and computes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/session.h"

namespace espalier::detail {

static std::string bytes(uint64_t n) {
  if (n < 10'000) return fmt::format("{} B", n);
  if (n < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(n) / 1e6);
}

namespace {

class Explanation {
 public:
  Explanation(const GraphTape& tape, Policy policy) : tape_(tape), policy_(policy) {
    for (uint32_t c = 0; c < tape.calls(); ++c) all_.push_back(c);
    Scheduler scheduler;
    scheduler.run(tape, all_, policy, schedule_);
    ForwardPlanner().plan(tape, schedule_, {}, {}, layout_, plan_);
  }

  std::string text() {
    summary();
    steps();
    gathers();
    alone();
    return std::move(out_);
  }

 private:
  void summary() {
    const std::set<uint32_t> cells(tape_.cell.begin(), tape_.cell.end());
    out_ += fmt::format("{} calls of {} cells in {} steps (policy {}", tape_.calls(), cells.size(),
                        schedule_.steps.size(), name(policy_));
    if (policy_ == Policy::automatic && !schedule_.how.empty()) out_ += fmt::format(": {}", schedule_.how);
    out_ += fmt::format("; lower bound {}", lower_bound(tape_, all_));
    for (Policy other : {Policy::depth, Policy::agenda})
      if (other != policy_) {
        Schedule s;
        Scheduler().run(tape_, all_, other, s);
        out_ += fmt::format(", {} {}", name(other), s.steps.size());
      }
    out_ += fmt::format(")\nrows {}, scratch {}\n", bytes(plan_.regions * sizeof(float)),
                        bytes(plan_.scratch * sizeof(float)));
  }

  static std::string placement(const InputPlace& p) { return p.gathered ? "gather" : "in place"; }

  void steps() {
    out_ += fmt::format("{:>5}  {:<24} {:>6}  {}\n", "step", "cell", "calls", "inputs");
    constexpr size_t most = 40;
    for (size_t s = 0; s < schedule_.steps.size(); ++s) {
      if (schedule_.steps.size() > most && s == most / 2) {
        const size_t skipped = schedule_.steps.size() - most;
        out_ += fmt::format("{:>5}  {} more steps\n", "…", skipped);
        s += skipped;
      }
      const RunStep& step = layout_.steps[s];
      const CellRun& run = layout_.runs[step.run];
      std::string inputs;
      for (size_t j = 0; j < run.program->rows.size(); ++j) {
        const int space = run.program->rows[j].space;
        inputs += (j ? ", " : "") + placement(layout_.inputs[run.first_input + j]);
        if (space != call_space)
          inputs += fmt::format(" ({} rows)", layout_.first_in(run, space, step.first + step.rows) -
                                                  layout_.first_in(run, space, step.first));
      }
      out_ += fmt::format("{:>5}  {:<24} {:>6}  {}\n", s + 1, run.program->name, step.rows, inputs);
    }
  }

  // One line per (cell, input) that is gathered, with the reason.
  void gathers() {
    uint64_t copied = 0;
    std::string lines;
    for (const CellRun& run : layout_.runs)
      for (size_t j = 0; j < run.program->rows.size(); ++j) {
        if (!layout_.inputs[run.first_input + j].gathered) continue;
        const RowInput& in = run.program->rows[j];
        const uint64_t rows = layout_.rows_in(run, in.space);
        const uint64_t size = rows * static_cast<uint64_t>(in.shape.size()) * sizeof(float);
        copied += size;
        lines += fmt::format("  {} {}{}: {} rows, {}: {}\n", run.program->name, in.name, str(in.shape), rows, bytes(size),
                             reason(run, j));
      }
    if (lines.empty()) {
      out_ += "nothing is gathered\n";
    } else {
      out_ += fmt::format("gathered: {}\n{}", bytes(copied), lines);
    }
  }

  std::string reason(const CellRun& run, size_t j) const {
    std::set<std::string> producers;
    std::map<uint32_t, int> readers;
    for (uint32_t row = 0; row < run.rows; ++row)
      for (uint32_t v : tape_.row_values(layout_.calls[run.first_call + row], j)) {
        producers.insert(tape_.program(tape_.value_call[v]).name);
        ++readers[v];
      }
    if (producers.size() > 1) {
      std::string names;
      for (const std::string& p : producers) names += (names.empty() ? "" : ", ") + p;
      return "the rows come from several cells (" + names + ")";
    }
    const bool repeated = std::any_of(readers.begin(), readers.end(), [](const auto& r) { return r.second > 1; });
    return repeated ? "a row is read more than once" : "the rows are read in another order than they were written";
  }

  // What ran as single calls although the cell was called more often.
  void alone() {
    std::map<uint32_t, std::pair<size_t, size_t>> cells;  // steps of one call, calls in all
    for (const Step& s : schedule_.steps) {
      auto& [single, calls] = cells[s.cell];
      single += s.end - s.begin == 1;
      calls += s.end - s.begin;
    }
    for (const auto& [cell, count] : cells) {
      const auto& [single, calls] = count;
      if (single == 0 || schedule_.steps.size() < 2) continue;
      const std::string& who = tape_.cells[cell]->name;
      if (policy_ == Policy::none)
        out_ += fmt::format("alone: {} of {} calls of {}: policy none runs one call at a time\n", single, calls, who);
      else if (calls == 1)
        out_ += fmt::format("alone: {}: it is called once\n", who);
      else
        out_ += fmt::format("alone: {} of {} calls of {}: each waits for another call of the chain it is in\n", single,
                            calls, who);
    }
  }

  const GraphTape& tape_;
  Policy policy_;
  std::vector<uint32_t> all_;
  Schedule schedule_;
  Layout layout_;
  Plan plan_;
  std::string out_;
};

}  // namespace

std::string Session::explain() const {
  if (tape.calls() == 0) return "0 calls\n";
  return Explanation(tape, options_.policy).text();
}

}  // namespace espalier::detail

namespace espalier {

std::string Engine::profile() const {
  const Counters c = counters();
  struct Stage {
    std::string_view name;
    double seconds;
  };
  const std::array<Stage, 8> stages{{{"record", c.record_s},
                                     {"schedule", c.schedule_s},
                                     {"plan", c.plan_s},
                                     {"gather", c.gather_s},
                                     {"product", c.product_s},
                                     {"elementwise", c.elementwise_s},
                                     {"other ops", c.other_s},
                                     {"weight gradients", c.accumulate_s}}};
  double total = 0;
  for (const Stage& s : stages) total += s.seconds;
  std::string text = fmt::format("{} rounds, {} calls in {} steps, {} launches, {} copied\n", c.rounds, c.calls, c.steps,
                                 c.launches, detail::bytes(c.copied_bytes));
  for (const Stage& s : stages)
    text += fmt::format("  {:<17} {:>9.3f} ms  {:>5.1f} %\n", s.name, s.seconds * 1e3,
                        total > 0 ? 100 * s.seconds / total : 0);
  return text;
}

}  // namespace espalier
