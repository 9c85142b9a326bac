#include "report/scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/text.h"

namespace espalier::app::report {
namespace {

// A step of 1, 2 or 5 times a power of ten, of which about `wanted` fit into the extent.
double round_step(double extent, int wanted) {
  const double raw = extent / wanted, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * 0.999) return factor * power;
  return 10 * power;
}

}  // namespace

Range rounded(double low, double high, int ticks) {
  Range range{low, high};
  if (high - low < 1e-9 * std::max(std::abs(low), std::abs(high)) || high == low) {
    const double around = high == 0 ? 0.1 : 0.1 * std::abs(high);
    range = {low - around, high + around};
  }
  if (low >= 0) range.low = std::max(range.low, 0.0);
  if (high <= 1) range.high = std::min(range.high, 1.0);
  const double step = round_step(range.high - range.low, ticks);
  if (!std::isfinite(step) || step == 0) return range;
  range.low = std::floor(range.low / step + 1e-6) * step;
  range.high = std::ceil(range.high / step - 1e-6) * step;
  if (high <= 1) range.high = std::min(range.high, 1.0);
  return range;
}

Scale::Scale(double low, double high, double begin, double end, bool logarithmic)
    : low_(low), high_(high), begin_(begin), end_(end), logarithmic_(logarithmic) {
  if (logarithmic_) {
    low_ = std::log10(low);
    high_ = std::log10(high);
  }
  if (high_ - low_ < 1e-12 * std::max({1.0, std::abs(low_), std::abs(high_)})) {
    const double around = std::max(std::abs(low_) * 0.1, 1e-6);
    low_ -= around;
    high_ += around;
  }
}

double Scale::operator()(double number) const {
  const double at = logarithmic_ ? std::log10(number) : number;
  return begin_ + (at - low_) / (high_ - low_) * (end_ - begin_);
}

std::vector<double> Scale::ticks(int wanted) const {
  std::vector<double> result;
  if (wanted == 0) return result;
  if (logarithmic_ && high_ - low_ > 1) {
    for (double power = std::ceil(low_ - 1e-9); power <= high_ + 1e-9; ++power) result.push_back(std::pow(10, power));
    return result;
  }
  const double low = logarithmic_ ? std::pow(10, low_) : low_, high = logarithmic_ ? std::pow(10, high_) : high_;
  const double step = round_step(high - low, wanted);
  const double slack = step * 1e-6;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) result.push_back(i * step);
  return result;
}

std::string axes(const Frame& f, const Scale& x, const Scale& y, int x_ticks, int y_ticks, const std::string& x_title,
                 const std::string& y_title) {
  std::string svg;
  for (const double tick : y.ticks(y_ticks))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        f.left, f.right, y(tick), y(tick), f.left - 6, y(tick) + 4, readable(tick));
  for (const double tick : x.ticks(x_ticks))
    svg += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x(tick), f.bottom + 19,
                       readable(tick));
  svg += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", f.left,
                     f.right, f.bottom, f.bottom);
  svg += fmt::format("<text class=\"mid dim\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", (f.left + f.right) / 2,
                     f.bottom + 36, escaped(x_title));
  if (!y_title.empty())
    svg += fmt::format("<text class=\"mid dim\" transform=\"translate(12 {:.1f}) rotate(-90)\">{}</text>\n",
                       (f.top + f.bottom) / 2, escaped(y_title));
  return svg;
}

}  // namespace espalier::app::report
