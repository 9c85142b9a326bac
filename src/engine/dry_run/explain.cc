// explain: a dry run as text: the steps and their calls, the gathers and their reasons, and the calls that run alone
// and their reasons.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <espalier/engine/dry_run.h>
#include "engine/bytes.h"

namespace espalier {
namespace {

using detail::bytes;

class Text {
 public:
  explicit Text(const DryRun& run) : run_(run) {}

  std::string write() {
    if (run_.calls == 0) return "0 calls\n";
    summary();
    steps();
    gathers();
    alone();
    return std::move(out_);
  }

 private:
  const std::string& name_of(size_t cell) const { return run_.cells[cell].name; }

  void summary() {
    out_ += fmt::format("{} calls of {} cells in {} steps by policy {}", run_.calls, run_.cells.size(),
                        run_.steps.size(), name(run_.policy));
    if (run_.policy == Policy::automatic && run_.how != "components") out_ += fmt::format(" ({})", run_.how);
    out_ += fmt::format("; no order has fewer than {}", run_.fewest_steps);
    for (const auto& [policy, steps] : run_.other_steps) out_ += fmt::format(", {} has {}", name(policy), steps);
    if (run_.shared_calls > 0)
      out_ += fmt::format("\n{} more calls have the same constant arguments as an earlier call and share its rows",
                          run_.shared_calls);
    out_ += fmt::format("\nrows {}, scratch {}\n", bytes(run_.row_bytes), bytes(run_.scratch_bytes));
    recomputation();
  }

  void recomputation() {
    std::vector<std::string> wide, again;
    for (const DryRun::Cell& c : run_.cells) {
      if (c.wide) wide.push_back(c.name);
      if (c.recomputed > 0) again.push_back(c.name);
    }
    if (!wide.empty())
      out_ += fmt::format("wide losses, which run together with the backward pass: {}\n", fmt::join(wide, ", "));
    if (!again.empty())
      out_ += fmt::format(
          "the backward pass runs {} calls again to keep the memory limit, {:.0f} % of the forward products: {}\n",
          run_.recomputed_calls, run_.product_flops > 0 ? 100 * run_.recomputed_flops / run_.product_flops : 0.0,
          fmt::join(again, ", "));
  }

  void steps() {
    size_t longest = 0;
    for (const DryRun::Cell& c : run_.cells) longest = std::max(longest, c.name.size());
    const size_t width = std::clamp<size_t>(longest, 12, 48);
    out_ += fmt::format("{:>5}  {:<{}} {:>6}  {}\n", "step", "cell", width, "calls", "inputs");
    constexpr size_t most = 40;
    for (size_t s = 0; s < run_.steps.size(); ++s) {
      if (run_.steps.size() > most && s == most / 2) {
        const size_t skipped = run_.steps.size() - most;
        out_ += fmt::format("{:>5}  {} more steps\n", "…", skipped);
        s += skipped;
      }
      const DryRun::Step& step = run_.steps[s];
      out_ += fmt::format("{:>5}  {:<{}} {:>6}  {}", s + 1, name_of(step.cell), width, step.calls, inputs(step));
      if (step.hoisted > 0) out_ += fmt::format("; hoisted kernels for {} calls", step.hoisted);
      out_ += '\n';
    }
  }

  static std::string inputs(const DryRun::Step& step) {
    std::vector<std::string> parts;
    for (const DryRun::Input& in : step.inputs)
      parts.push_back((in.gathered ? "gather" : "in place") + (in.list ? fmt::format(" ({} rows)", in.rows) : ""));
    if (parts.empty()) return "none";
    const bool same = std::all_of(parts.begin(), parts.end(), [&](const std::string& p) { return p == parts[0]; });
    return same && parts.size() > 1 ? fmt::format("{} × {}", parts.size(), parts[0])
                                    : fmt::format("{}", fmt::join(parts, ", "));
  }

  void gathers() {
    if (run_.gathers.empty()) {
      out_ += "nothing is gathered\n";
      return;
    }
    out_ += fmt::format("gathered {}\n", bytes(run_.gathered_bytes));
    for (const DryRun::Gather& g : run_.gathers)
      out_ += fmt::format("  {}, {} {}: {} rows, {}: {}\n", name_of(g.cell), g.inputs, str(g.shape), g.rows,
                          bytes(g.bytes), g.why);
  }

  // One line per cell with several calls; cells with a single call and the same reason share a line.
  void alone() {
    if (run_.policy == Policy::none) {
      if (!run_.alone.empty()) out_ += "alone: every call; policy none runs one call at a time\n";
      return;
    }
    std::map<std::string, std::vector<std::string>> once;
    for (const DryRun::Alone& a : run_.alone) {
      const DryRun::Cell& c = run_.cells[a.cell];
      if (c.calls == 1) {
        once[a.why].push_back(c.name);
      } else {
        out_ += fmt::format("alone: {} in {} of its {} steps: {}\n", c.name, c.alone, c.steps, a.why);
      }
    }
    constexpr size_t most = 12;
    for (auto& [why, names] : once) {
      if (names.size() > most) {
        names[most] = fmt::format("and {} more", names.size() - most);
        names.resize(most + 1);
      }
      out_ += fmt::format("alone: {}: {}\n", why, fmt::join(names, ", "));
    }
  }

  const DryRun& run_;
  std::string out_;
};

}  // namespace

std::string DryRun::text() const { return Text(*this).write(); }

}  // namespace espalier
