// explain: how a graph was batched, as text. The steps, how many calls each holds, what is gathered and why, what
// stayed alone and why. Planned anew from the tape, so it can be asked at any time and computes nothing.
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

std::set<uint32_t> cells_of(const GraphTape& tape) {
  std::set<uint32_t> cells;
  for (const GraphTape::Call& call : tape.call) cells.insert(call.cell);
  return cells;
}

// What a user may call each cell: its name; where several cells share it, with shapes and then attributes as well.
class Labels {
 public:
  explicit Labels(const GraphTape& tape) : labels_(tape.cells.size()) {
    std::map<std::string, std::vector<uint32_t>> by_name;
    for (const uint32_t c : cells_of(tape)) by_name[tape.cells[c]->name].push_back(c);
    for (const auto& [name, cells] : by_name) {
      std::set<std::string> different;
      for (int detail = 0; detail <= 2 && different.size() < cells.size(); ++detail) {
        different.clear();
        for (const uint32_t c : cells) different.insert(labels_[c] = label(*tape.cells[c], detail));
      }
      if (different.size() == cells.size()) continue;
      for (size_t k = 0; k < cells.size(); ++k) labels_[cells[k]] += fmt::format(" #{}", k + 1);
    }
    for (const std::string& l : labels_) longest_ = std::max(longest_, l.size());
  }
  const std::string& operator[](uint32_t cell) const { return labels_[cell]; }
  size_t longest() const { return longest_; }

 private:
  static std::string label(const Program& p, int detail) {
    std::string text = p.name;
    if (detail >= 2)
      for (int i = 0; i < p.forward_nodes; ++i)
        if (p.node(i).kind == Node::Kind::op && !p.node(i).attrs.empty())
          text += "(" + p.node(i).op->text(p.node(i).attrs) + ")";
    if (detail >= 1) {
      for (const RowInput& in : p.rows) text += " " + str(in.shape);
      if (p.rows.empty()) text += " " + str(p.output_shape(0));
    }
    return text;
  }

  std::vector<std::string> labels_;
  size_t longest_ = 0;
};

std::string join(const std::vector<std::string>& parts, std::string_view between = ", ") {
  return fmt::format("{}", fmt::join(parts, between));
}

class Explanation {
 public:
  Explanation(const GraphTape& tape, Policy policy, uint32_t prologue_below)
      : tape_(tape), policy_(policy), labels_(tape) {
    for (uint32_t c = 0; c < tape.calls(); ++c) all_.push_back(c);
    Scheduler scheduler;
    scheduler.run(tape, all_, policy, schedule_);
    ForwardPlanner().plan(tape, schedule_, {}, {.prologue_below = prologue_below}, layout_, plan_);
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
    out_ += fmt::format("{} calls of {} cells in {} steps by policy {}", tape_.calls(), cells_of(tape_).size(),
                        schedule_.steps.size(), name(policy_));
    if (policy_ == Policy::automatic && schedule_.how != "components") out_ += fmt::format(" ({})", schedule_.how);
    out_ += fmt::format("; no order has fewer than {}", lower_bound(tape_, all_));
    for (Policy other : {Policy::depth, Policy::agenda})
      if (other != policy_) {
        Schedule s;
        Scheduler().run(tape_, all_, other, s);
        out_ += fmt::format(", {} has {}", name(other), s.steps.size());
      }
    if (tape_.shared > 0)
      out_ +=
          fmt::format("\n{} more calls are given the same integers as an earlier one and share its rows", tape_.shared);
    out_ += fmt::format("\nrows {}, scratch {}\n", bytes(plan_.regions * sizeof(float)),
                        bytes(plan_.scratch * sizeof(float)));
  }

  // ---- the table of steps
  void steps() {
    const size_t width = std::clamp<size_t>(labels_.longest(), 12, 48);
    out_ += fmt::format("{:>5}  {:<{}} {:>6}  {}\n", "step", "cell", width, "calls", "inputs");
    constexpr size_t most = 40;
    for (size_t s = 0; s < schedule_.steps.size(); ++s) {
      if (schedule_.steps.size() > most && s == most / 2) {
        const size_t skipped = schedule_.steps.size() - most;
        out_ += fmt::format("{:>5}  {} more steps\n", "…", skipped);
        s += skipped;
      }
      const RunStep& step = layout_.steps[s];
      out_ += fmt::format("{:>5}  {:<{}} {:>6}  {}{}\n", s + 1, label(step), width, step.rows, inputs(step),
                          prologue(step));
    }
  }

  const std::string& label(const RunStep& step) const { return labels_[layout_.runs[step.run].cell]; }

  std::string inputs(const RunStep& step) const {
    const CellRun& run = layout_.runs[step.run];
    std::vector<std::string> parts;
    for (size_t j = 0; j < run.program->rows.size(); ++j) {
      const int space = run.program->rows[j].space;
      parts.push_back(layout_.inputs[run.first_input + j].gathered ? "gather" : "in place");
      if (space != call_space)
        parts.back() += fmt::format(" ({} rows)", layout_.first_in(run, space, step.first + step.rows) -
                                                      layout_.first_in(run, space, step.first));
    }
    if (parts.empty()) return "none";
    const bool same = std::all_of(parts.begin(), parts.end(), [&](const std::string& p) { return p == parts[0]; });
    return same && parts.size() > 1 ? fmt::format("{} × {}", parts.size(), parts[0]) : join(parts);
  }

  std::string prologue(const RunStep& step) const {
    const CellRun& run = layout_.runs[step.run];
    if (step.first > 0 || run.prologue == 0) return "";
    return fmt::format("; prologue of {} calls", run.rows);
  }

  // ---- what is gathered, and why: a line for the inputs of a cell that share shape and reason
  void gathers() {
    uint64_t copied = 0;
    std::string lines;
    for (size_t r = 0; r < layout_.runs.size(); ++r) {
      const CellRun& run = layout_.runs[r];
      for (const auto& [why, inputs] : gathers_of(r)) {
        const RowInput& in = run.program->rows[inputs[0]];
        const uint64_t rows = layout_.rows_in(run, in.space) * inputs.size();
        const uint64_t size = rows * static_cast<uint64_t>(in.shape.size()) * sizeof(float);
        copied += size;
        std::vector<std::string> names;
        for (const size_t j : inputs) names.push_back(run.program->rows[j].name);
        lines += fmt::format("  {}, {} {}: {} rows, {}: {}\n", labels_[run.cell], join(names, " and "), str(in.shape),
                             rows, bytes(size), why);
      }
    }
    if (lines.empty()) {
      out_ += "nothing is gathered\n";
    } else {
      out_ += fmt::format("gathered {}\n{}", bytes(copied), lines);
    }
  }

  using Reasons = std::vector<std::pair<std::string, std::vector<size_t>>>;  // and the inputs that have it
  Reasons gathers_of(size_t run) const {
    Reasons reasons;
    const auto& rows = layout_.runs[run].program->rows;
    for (size_t j = 0; j < rows.size(); ++j) {
      if (!layout_.inputs[layout_.runs[run].first_input + j].gathered) continue;
      const std::string why = reason(run, j);
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

  // An input is read in place only if the rows of every step stand at equal distances, in ascending order.
  std::string reason(size_t run, size_t j) const {
    std::string first;
    size_t obstacles = 0, count = 0;
    for (size_t s = 0; s < layout_.steps.size(); ++s) {
      if (layout_.steps[s].run != run) continue;
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
    const std::vector<std::string> names(producers.begin(), producers.end());
    if (names.size() > 1) return "mixes rows of " + join(names, " and ");
    if (std::set<uint32_t>(values.begin(), values.end()).size() < values.size())
      return fmt::format("reads a row of {} more than once", names[0]);
    if (!ascending) return fmt::format("reads rows of {} in another order than they were written", names[0]);
    return fmt::format("reads rows of {} at uneven distances", names[0]);
  }
  int64_t place(uint32_t value) const { return layout_.unit_of[value]; }

  // ---- which steps hold a single call, and why
  void alone() {
    if (schedule_.steps.size() < 2) return;
    if (policy_ == Policy::none) {
      out_ += "alone: every call, for policy none runs one at a time\n";
      return;
    }
    std::map<uint32_t, std::pair<size_t, size_t>> cells;  // steps, and thereof with one call
    std::map<uint32_t, size_t> calls;
    for (const Step& s : schedule_.steps) {
      ++cells[s.cell].first;
      cells[s.cell].second += s.end - s.begin == 1;
      calls[s.cell] += s.end - s.begin;
    }
    std::vector<std::string> once;
    for (const auto& [cell, count] : cells) {
      const auto& [steps, single] = count;
      if (calls[cell] == 1) {
        once.push_back(labels_[cell]);
      } else if (single > 0) {
        out_ += fmt::format("alone: {} in {} of its {} steps: {}\n", labels_[cell], single, steps, lonely(cell, steps));
      }
    }
    constexpr size_t most = 12;
    if (once.size() > most) {
      once[most] = fmt::format("and {} more", once.size() - most);
      once.resize(most + 1);
    }
    if (!once.empty()) out_ += fmt::format("alone: called once: {}\n", join(once));
  }

  std::string lonely(uint32_t cell, size_t steps) const {
    const uint32_t chain = longest_chain(cell);
    if (steps == chain)
      return fmt::format("a chain of {} calls takes {} steps, and no other chain has a call left for these", chain,
                         steps);
    return fmt::format("policy {} took more steps than its longest chain has calls, which is {}",
                       policy_ == Policy::automatic ? schedule_.how : name(policy_), chain);
  }

  // The most calls of the cell on one path.
  uint32_t longest_chain(uint32_t cell) const {
    std::vector<uint32_t> most(tape_.calls());
    uint32_t longest = 0;
    for (uint32_t c = 0; c < tape_.calls(); ++c) {
      for (size_t j = 0; j < tape_.program(c).rows.size(); ++j)
        for (uint32_t v : tape_.row_values(c, j)) most[c] = std::max(most[c], most[tape_.value[v].call]);
      most[c] += tape_.call[c].cell == cell;
      longest = std::max(longest, most[c]);
    }
    return longest;
  }

  const GraphTape& tape_;
  Policy policy_;
  Labels labels_;
  std::vector<uint32_t> all_;
  Schedule schedule_;
  Layout layout_;
  Plan plan_;
  std::string out_;
};

}  // namespace

std::string Session::explain() const {
  if (tape.calls() == 0) return "0 calls\n";
  return Explanation(tape, options_.policy, prologue_below()).text();
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
  std::string text = fmt::format("{} rounds, {} calls in {} steps, {} launches, {} copied\n", c.rounds, c.calls,
                                 c.steps, c.launches, detail::bytes(c.copied_bytes));
  for (const Stage& s : stages)
    text += fmt::format("  {:<17} {:>9.3f} ms  {:>5.1f} %\n", s.name, s.seconds * 1e3,
                        total > 0 ? 100 * s.seconds / total : 0);
  return text;
}

}  // namespace espalier
