#include "report/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr double width = 460, height = 290;
constexpr Frame frame{54, 10, width - 12, height - 42};
constexpr size_t max_dots = 60, max_bands = 300;
constexpr int max_y_ticks = 7;

// A polyline with gaps at non-finite values.
std::string path(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string d;
  bool down = false;
  for (const Point& p : points) {
    if (std::isfinite(p.y)) d += fmt::format("{}{:.1f} {:.1f}", down ? 'L' : 'M', x(p.x), y(p.y));
    down = std::isfinite(p.y);
  }
  return d;
}

// Values that fall by orders of magnitude get a logarithmic scale, so that the last epochs remain distinguishable.
Range vertical(const std::vector<Curve>& curves, bool may_be_logarithmic) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& c : curves)
    for (const auto* points : {&c.points, &c.minibatches})
      for (const Point& p : *points)
        if (std::isfinite(p.y)) {
          low = std::min(low, p.y);
          high = std::max(high, p.y);
        }
  if (low > high) low = high = 0;
  if (may_be_logarithmic && low > 0 && high / low > 30) return {low, high, true};
  return rounded(low, high, max_y_ticks);
}

std::string bands(const std::vector<Curve>& curves, const Scale& x, double first, double last) {
  const double step = std::max(1.0, std::ceil((last - first + 1) / max_bands));
  std::string svg;
  for (double epoch = first; epoch <= last; epoch += step) {
    std::string tip = fmt::format("epoch {:.0f}", epoch);
    for (const Curve& c : curves)
      for (const Point& p : c.points)
        if (p.x == epoch) tip += fmt::format("\n{}  {}{}", readable(p.y), c.name, epoch == c.best ? "  (best)" : "");
    const double from = std::max(x(epoch - step / 2), frame.left), to = std::min(x(epoch + step / 2), frame.right);
    svg += fmt::format(
        "<rect class=\"band\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>\n", from,
        frame.top, std::max(to - from, 0.5), frame.bottom - frame.top, escaped(tip));
  }
  return svg;
}

std::string line(const char* kind, const Mark& mark, const std::string& d) {
  return fmt::format("<path class=\"{} {}\"{} d=\"{}\"/>", kind, mark.classes, mark.style, d);
}

std::string dots(const Curve& c, const Scale& x, const Scale& y) {
  std::string svg;
  for (const Point& p : c.points) {
    const bool best = p.x == c.best;
    if (std::isfinite(p.y) && (best || c.points.size() <= max_dots))
      svg += fmt::format("<circle class=\"{} {}\"{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", best ? "best" : "dot",
                         c.mark.classes, c.mark.style, x(p.x), y(p.y), best ? 4.5 : 2.2);
  }
  return svg;
}

}  // namespace

Axes axes_of(const std::vector<Curve>& curves, bool may_be_logarithmic) {
  Axes axes{.first = std::numeric_limits<double>::infinity(), .y = vertical(curves, may_be_logarithmic)};
  for (const Curve& c : curves) {
    axes.around |= !c.minibatches.empty();
    for (const Point& p : c.points) {
      axes.first = std::min(axes.first, p.x);
      axes.last = std::max(axes.last, p.x);
    }
    for (const Point& p : c.minibatches) axes.last = std::max(axes.last, std::round(p.x));
  }
  axes.first = std::min(axes.first, axes.last);
  return axes;
}

std::string chart(const std::vector<Curve>& curves, const Axes& a, const std::string& what) {
  const double half = a.around || a.first == a.last ? 0.5 : 0;
  const Scale x(a.first - half, a.last + half, frame.left, frame.right);
  const Scale y(a.y.low, a.y.high, frame.bottom, frame.top, a.y.logarithmic);
  std::string svg = fmt::format("<svg class=\"curves\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                                height, escaped(what + " over epochs"));
  svg += axes(frame, x, y, static_cast<int>(std::clamp(a.last - a.first + 2 * half, 1.0, 8.0)), max_y_ticks, "epoch");
  svg += bands(curves, x, a.first, a.last);
  for (const Curve& c : curves) {
    if (!c.minibatches.empty()) svg += line("faint", c.mark, path(c.minibatches, x, y)) + "\n";
    svg += line("line", c.mark, path(c.points, x, y)) + "\n" + dots(c, x, y);
  }
  return svg + "</svg>";
}

std::string legend_entry(const Mark& mark, const std::string& name) {
  return fmt::format(
      "<span class=\"run\"><svg class=\"key\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">{}</svg>{}</span>",
      line("line", mark, "M0 5L26 5"), escaped(name));
}

}  // namespace espalier::app::report
