// Cells with steps of a single call, and the reasons.
#include <fmt/format.h>

#include <algorithm>

#include "engine/dry_run/dry_run_plan.h"
#include "op/elementwise.h"
#include "op/kernel/rows.h"

namespace espalier::detail {
namespace {

class Lonely {
 public:
  explicit Lonely(const DryRunPlan& planned) : t_(planned), counts_(planned.tape.cells.size()) {
    for (const Step& s : t_.schedule.steps) {
      Counts& c = counts_[s.cell];
      ++c.steps;
      c.calls += s.end - s.begin;
      c.alone += s.end - s.begin == 1;
      if (s.end - s.begin == 1) c.one = t_.schedule.order[s.begin];
    }
  }

  std::vector<DryRun::Alone> list(const std::vector<size_t>& cells) const {
    std::vector<DryRun::Alone> all;
    if (t_.schedule.steps.size() < 2) return all;  // there is no other step to join
    for (uint32_t c = 0; c < counts_.size(); ++c)
      if (counts_[c].alone > 0) all.push_back({cells[c], why(c)});
    return all;
  }

 private:
  struct Counts {
    size_t calls = 0, steps = 0, alone = 0;
    uint32_t one = 0;  // a call that is the only one of its step
  };

  std::string why(uint32_t cell) const {
    if (t_.policy == Policy::none) return "policy none runs one call at a time";
    const Counts& c = counts_[cell];
    if (c.calls == 1) return "called once" + unlike(cell) + advice(cell);
    const uint32_t chain = longest_chain(cell);
    if (c.steps == chain)
      return fmt::format("a chain of {} calls takes {} steps, and no other chain has a call left for these{}", chain,
                         c.steps, advice(cell));
    return fmt::format("policy {} took more steps than its longest chain has calls, which is {}",
                       t_.policy == Policy::automatic ? t_.schedule.how : name(t_.policy), chain);
  }

  // How other cells of the same name differ from this one: calls of different cells never share a step.
  std::string unlike(uint32_t cell) const {
    const Program& p = *t_.tape.cells[cell];
    std::string_view nearest;
    for (uint32_t c = 0; c < counts_.size(); ++c) {
      if (c == cell || counts_[c].calls == 0 || t_.tape.cells[c]->name != p.name) continue;
      const Program& other = *t_.tape.cells[c];
      if (shapes_text(other) != shapes_text(p)) {
        if (nearest.empty()) nearest = "shapes";
      } else {
        nearest = "attributes";
        if (attributes_text(other) == attributes_text(p)) return "; other cells of this name have other parameters";
      }
    }
    return nearest.empty() ? "" : fmt::format("; other cells of this name have other {}", nearest);
  }

  // For a cell that only adds scalars: a sum of losses ties the examples together.
  std::string advice(uint32_t cell) const {
    const Program& p = *t_.tape.cells[cell];
    const auto adds = [](const Node& n) {
      return n.kind != Node::Kind::op || n.op == &info<op::Add>() || n.op == &info<op::SumRows>();
    };
    const auto scalar = [](const RowInput& in) { return in.shape.rank == 0; };
    size_t terms = 0;
    t_.tape.each_argument(counts_[cell].one, [&](uint32_t) { ++terms; });
    if (terms < 2 || !std::all_of(p.rows.begin(), p.rows.end(), scalar) ||
        !std::all_of(p.nodes.begin(), p.nodes.begin() + p.forward_nodes, adds))
      return "";
    return fmt::format("; it adds up {} scalars: if they are losses, pass backward() the list, which needs no sum",
                       (terms - 1) * counts_[cell].calls + 1);
  }

  // The maximum number of calls of the cell on one path.
  uint32_t longest_chain(uint32_t cell) const {
    const GraphTape& tape = t_.tape;
    std::vector<uint32_t> most(tape.calls());
    uint32_t longest = 0;
    for (uint32_t c = 0; c < tape.calls(); ++c) {
      tape.each_argument(c, [&](uint32_t v) { most[c] = std::max(most[c], most[tape.value[v].call]); });
      most[c] += tape.call[c].cell == cell;
      longest = std::max(longest, most[c]);
    }
    return longest;
  }

  const DryRunPlan& t_;
  std::vector<Counts> counts_;
};

}  // namespace

std::vector<DryRun::Alone> alone_in(const DryRunPlan& planned, const std::vector<size_t>& cells) {
  return Lonely(planned).list(cells);
}

}  // namespace espalier::detail
