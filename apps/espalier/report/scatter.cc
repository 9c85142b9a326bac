// A scatter plot of gold and predicted values, with the diagonal.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/scale.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr double width = 400, height = 390;
constexpr Frame frame{66, 10, width - 12, height - 42};

struct Moments {
  double n = 0, gold = 0, predicted = 0, error = 0;  // sums, then means; error: sum of squares
};

bool usable(const Scatter& s, size_t i) { return std::isfinite(s.gold[i]) && std::isfinite(s.predicted[i]); }

std::string caption(const Scatter& s) {
  Moments m;
  for (size_t i = 0; i < s.gold.size(); ++i) {
    if (!usable(s, i)) continue;
    m.n += 1;
    m.gold += s.gold[i];
    m.predicted += s.predicted[i];
    m.error += (s.gold[i] - s.predicted[i]) * (s.gold[i] - s.predicted[i]);
  }
  if (m.n == 0) return "no points";
  m.gold /= m.n;
  m.predicted /= m.n;
  double both = 0, gold = 0, predicted = 0;
  for (size_t i = 0; i < s.gold.size(); ++i) {
    if (!usable(s, i)) continue;
    both += (s.gold[i] - m.gold) * (s.predicted[i] - m.predicted);
    gold += (s.gold[i] - m.gold) * (s.gold[i] - m.gold);
    predicted += (s.predicted[i] - m.predicted) * (s.predicted[i] - m.predicted);
  }
  return fmt::format("{} points, RMSE {}, Pearson {}", readable(static_cast<uint64_t>(m.n)),
                     readable(std::sqrt(m.error / m.n)), readable(both / std::sqrt(gold * predicted)));
}

}  // namespace

std::string scatter_card(const Scatter& s) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t i = 0; i < s.gold.size(); ++i)
    if (usable(s, i)) {
      low = std::min({low, s.gold[i], s.predicted[i]});
      high = std::max({high, s.gold[i], s.predicted[i]});
    }
  if (low > high) low = high = 0;
  const double room = 0.03 * (high - low);
  const Scale x(low - room, high + room, frame.left, frame.right), y(low - room, high + room, frame.bottom, frame.top);
  const std::string unit = s.unit.empty() ? "" : ", " + s.unit;
  std::string svg = fmt::format(
      "<svg class=\"scatter\" style=\"max-width:{:.0f}px\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"gold against predicted\">\n",
      width * 1.15, width, height);
  svg += axes(frame, x, y, 6, 6, "gold" + unit, "predicted" + unit);
  svg += fmt::format("<line class=\"diagonal\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", frame.left,
                     frame.bottom, frame.right, frame.top);
  for (size_t i = 0; i < s.gold.size(); ++i)
    if (usable(s, i))
      svg += fmt::format(
          "<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>gold {}\npredicted {}</title></circle>\n",
          x(s.gold[i]), y(s.predicted[i]), readable(s.gold[i]), readable(s.predicted[i]));
  return card("Gold and predicted", svg + "</svg>", caption(s));
}

}  // namespace espalier::app::report
