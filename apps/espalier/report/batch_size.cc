// A histogram of calls per step, in bins of powers of two: the share of steps, and the share of calls in these steps.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/scale.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr double width = 460, height = 290;
constexpr Frame frame{54, 10, width - 12, height - 42};

struct Bin {
  uint64_t steps = 0, calls = 0;
};

std::string bar(const char* kind, double left, double bar_width, const Scale& y, double share, const std::string& tip) {
  return fmt::format(
      "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>\n",
      kind, left, y(share), bar_width, frame.bottom - y(share), escaped(tip));
}

}  // namespace

std::string batch_size_card(const Schedule& schedule) {
  std::vector<Bin> bins;
  uint64_t steps = 0, calls = 0;
  for (const Step& step : schedule.steps) {
    if (step.calls == 0) continue;
    const auto power = static_cast<size_t>(std::bit_width(step.calls)) - 1;
    if (bins.size() <= power) bins.resize(power + 1);
    ++bins[power].steps;
    bins[power].calls += step.calls;
    ++steps;
    calls += step.calls;
  }
  if (bins.empty()) return "";
  double highest = 0;
  for (const Bin& b : bins)
    highest = std::max({highest, static_cast<double>(b.steps) / static_cast<double>(steps),
                        static_cast<double>(b.calls) / static_cast<double>(calls)});
  const Scale y(0, 100 * highest, frame.bottom, frame.top);
  const double column = (frame.right - frame.left) / static_cast<double>(bins.size());
  const double bar_width = std::min(column * 0.38, 40.0);
  std::string svg = fmt::format(
      "<svg class=\"histogram\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"calls per step\">\n", width, height);
  svg += axes(frame, Scale(1, 2, 0, 1), y, 0, 6, "calls per step", "%");
  for (size_t i = 0; i < bins.size(); ++i) {
    const uint64_t low = uint64_t{1} << i, high = 2 * low - 1;
    const double middle = frame.left + column * (static_cast<double>(i) + 0.5);
    const std::string range = low == high ? "1 call" : fmt::format("{} to {} calls", readable(low), readable(high));
    const double of_steps = static_cast<double>(bins[i].steps) / static_cast<double>(steps),
                 of_calls = static_cast<double>(bins[i].calls) / static_cast<double>(calls);
    svg += bar("steps", middle - bar_width - 0.5, bar_width, y, 100 * of_steps,
               fmt::format("steps of {}\n{} of {} steps ({})", range, readable(bins[i].steps), readable(steps),
                           percent(of_steps)));
    svg += bar("calls", middle + 0.5, bar_width, y, 100 * of_calls,
               fmt::format("in steps of {}\n{} of {} calls ({})", range, readable(bins[i].calls), readable(calls),
                           percent(of_calls)));
    if (bins.size() <= 7 || (bins.size() - i) % 2 == 1)  // legible on a phone
      svg += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n", middle, frame.bottom + 19,
                         readable(low), low == high ? "" : "+");
  }
  const double mean = static_cast<double>(calls) / static_cast<double>(steps);
  return card("Calls per step", svg + "</svg>",
              fmt::format("<i class=\"box steps\"></i>share of steps <i class=\"box calls\"></i>share of calls; "
                          "mean: {} calls per step",
                          readable(mean)));
}

}  // namespace espalier::app::report
