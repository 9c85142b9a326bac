// The steps of one minibatch from left to right, with a lane per cell; height and opacity of a bar show its calls.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr size_t max_steps = 2000, longest_name = 22;
constexpr double lane = 30, top = 4, wide = 900;

struct Lane {
  std::string cell;
  uint64_t steps = 0, calls = 0;
};

}  // namespace

std::string schedule_card(const Schedule& schedule) {
  if (schedule.steps.empty()) return "";
  std::vector<Lane> lanes;
  std::map<std::string, size_t> lane_of;
  uint64_t largest = 1;
  size_t longest = 0;
  for (const Step& step : schedule.steps) {
    const auto [at, is_new] = lane_of.emplace(step.cell, lanes.size());
    if (is_new) lanes.push_back({.cell = step.cell});
    ++lanes[at->second].steps;
    lanes[at->second].calls += step.calls;
    largest = std::max(largest, step.calls);
    longest = std::max(longest, std::min(length(step.cell), longest_name));
  }
  const size_t drawn = std::min(schedule.steps.size(), max_steps);
  const double column = std::clamp(wide / static_cast<double>(drawn), 3.0, 60.0);
  const double width = column * static_cast<double>(drawn) + 8, bottom = top + lane * static_cast<double>(lanes.size()),
               height = bottom + 36;

  const double names = static_cast<double>(longest) * 8 + 10;
  std::string labels =
      fmt::format("<svg class=\"names\" width=\"{:.0f}\" height=\"{:.0f}\" aria-hidden=\"true\">\n", names, height);
  std::string bars =
      fmt::format("<svg class=\"schedule\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"schedule\">\n",
                  width, height);
  for (size_t i = 0; i < lanes.size(); ++i) {
    const double floor = top + lane * static_cast<double>(i + 1);
    labels += fmt::format("<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}<title>{}</title></text>\n", names - 8,
                          floor - 8, escaped(shortened(lanes[i].cell, longest_name)),
                          escaped(fmt::format("{}\n{} calls in {} steps", lanes[i].cell, readable(lanes[i].calls),
                                              readable(lanes[i].steps))));
    bars +=
        fmt::format("<line class=\"grid\" x1=\"0\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", width, floor, floor);
  }
  for (size_t i = 0; i < drawn; ++i) {
    const Step& step = schedule.steps[i];
    const double size =
        std::log2(1.0 + static_cast<double>(step.calls)) / std::log2(1.0 + static_cast<double>(largest));
    const double floor = top + lane * static_cast<double>(lane_of[step.cell] + 1), tall = 2 + (lane - 6) * size;
    bars += fmt::format(
        "<rect class=\"step\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.2f}\">"
        "<title>{}</title></rect>\n",
        column * static_cast<double>(i) + 0.5, floor - tall, std::max(column - 1, 2.0), tall, 0.35 + 0.65 * size,
        escaped(fmt::format("{}\nstep {} of {}: {} call{}", step.cell, i + 1, schedule.steps.size(),
                            readable(step.calls), step.calls == 1 ? "" : "s")));
  }
  const size_t every = std::max<size_t>(1, static_cast<size_t>(std::ceil(44 / column)));
  const size_t round = every <= 2 ? every : every <= 5 ? 5 : (every + 9) / 10 * 10;
  for (size_t i = round; i <= drawn; i += round)
    bars += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                        column * (static_cast<double>(i) - 0.5), bottom + 16, i);
  std::string caption =
      fmt::format("{} calls of {} examples in {} steps", readable(schedule.calls), readable(schedule.examples),
                  readable(static_cast<uint64_t>(schedule.steps.size())));
  if (!schedule.policy.empty()) caption += " by policy " + escaped(schedule.policy);
  if (schedule.lower_bound > 0)
    caption += fmt::format("; lower bound of any schedule: {}", readable(schedule.lower_bound));
  caption += "; height and shade: calls per step, on a logarithmic scale";
  if (drawn < schedule.steps.size())
    caption += fmt::format("; only the first {} are shown", readable(uint64_t{max_steps}));
  return card("Schedule of a minibatch",
              "<div class=\"lanes\">" + labels + "</svg><div class=\"scroll\">" + bars + "</svg></div></div>", caption);
}

}  // namespace espalier::app::report
