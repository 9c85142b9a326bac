#include "engine/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/bytes.h"

namespace espalier::detail {
namespace {

double per_cent(double part, double of) { return of > 0 ? 100 * part / of : 0; }

struct Stage {
  std::string_view name;
  double seconds;
};

std::string lines(const std::vector<Stage>& stages) {
  double total = 0;
  for (const Stage& s : stages) total += s.seconds;
  std::string text;
  for (const Stage& s : stages)
    text += fmt::format("  {:<17} {:>9.3f} ms  {:>5.1f} %\n", s.name, s.seconds * 1e3, per_cent(s.seconds, total));
  return text;
}

std::string title(const CellTimes::Entries::value_type& entry) {
  const auto& [name, part] = entry.first;
  switch (part) {
    case CellTimes::Part::forward:
      return name;
    case CellTimes::Part::backward:
      return name + ", backward";
    case CellTimes::Part::gradient:
      return "gradient of " + name;
  }
  return name;
}

// Slowest entry first; omits kernel kinds without launches.
std::string by_cell(const CellTimes& cells) {
  std::vector<const CellTimes::Entries::value_type*> sorted;
  KernelStats all;
  size_t width = 8;
  for (const auto& entry : cells.entries()) {
    if (entry.second.steps == 0) continue;
    sorted.push_back(&entry);
    all += entry.second.stats;
    width = std::max(width, title(entry).size());
  }
  if (sorted.empty()) return {};
  std::ranges::sort(sorted, {}, [](const auto* e) { return std::pair(-e->second.stats.all_seconds(), e->first); });
  std::vector<size_t> kinds;
  for (size_t k = 0; k < KernelStats::kinds; ++k)
    if (all.launches[k] > 0) kinds.push_back(k);

  std::string text =
      fmt::format("  {:<{}} {:>8} {:>10} {:>8} {:>10} {:>7}", "by cell", width, "steps", "rows", "launches", "ms", "%");
  for (size_t k : kinds)
    text += fmt::format("  {:>{}}", KernelStats::names[k], std::max<size_t>(KernelStats::names[k].size(), 9));
  text += "\n";
  for (const auto* entry : sorted) {
    const CellTimes::Entry& e = entry->second;
    const double seconds = e.stats.all_seconds();
    text += fmt::format("  {:<{}} {:>8} {:>10} {:>8} {:>10.3f} {:>7.1f}", title(*entry), width, e.steps, e.rows,
                        e.stats.all_launches(), seconds * 1e3, per_cent(seconds, all.all_seconds()));
    for (size_t k : kinds)
      text += fmt::format("  {:>{}.3f}", e.stats.seconds[k] * 1e3, std::max<size_t>(KernelStats::names[k].size(), 9));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string profile(const Counters& c, const EngineOptions& options, const CellTimes& cells) {
  std::string text = fmt::format("{} rounds, {} calls in {} steps, {} launches, {} copied\n", c.rounds, c.calls,
                                 c.steps, c.launches, bytes(c.copied_bytes));
  std::vector<Stage> host{{"record", c.record_s}, {"schedule", c.schedule_s}, {"plan", c.plan_s}};
  const std::vector<Stage> computing{{"gather", c.gather_s},
                                     {"product", c.product_s},
                                     {"elementwise", c.elementwise_s},
                                     {"other ops", c.other_s},
                                     {"weight gradients", c.accumulate_s}};
  if (options.device.kind != Device::Kind::cuda) {
    host.insert(host.end(), computing.begin(), computing.end());
    text += lines(host);
  } else {
    std::vector<Stage> device = computing;
    device.push_back({"walk", c.persistent_s});
    device.push_back({"update", c.update_s});
    text += "host\n" + lines(host) + str(options.device);
    text += options.timed ? "\n" + lines(device) : ": not timed; the engine option timed = true measures it\n";
  }
  return text + by_cell(cells);
}

}  // namespace espalier::detail
