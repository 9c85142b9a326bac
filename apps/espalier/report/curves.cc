// Learning curves: a line for each run; a band for each epoch names the values of all runs there.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/scale.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

struct Point {
  double x = 0, y = 0;
};

struct Curve {
  size_t run = 0;
  std::string name;
  std::vector<Point> points, minibatches;  // x is an epoch, as the log counts it
  double best = -1;                        // the epoch whose parameters were kept; -1: not marked
};

constexpr double width = 460, height = 290;
constexpr Frame frame{54, 10, width - 12, height - 42};
constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t most_dots = 60, most_bands = 300;

// Lines between neighbours; none over a value that is no number.
std::string path(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string d;
  bool down = false;
  for (const Point& p : points) {
    if (std::isfinite(p.y)) d += fmt::format("{}{:.1f} {:.1f}", down ? 'L' : 'M', x(p.x), y(p.y));
    down = std::isfinite(p.y);
  }
  return d;
}

// Losses that fall by orders of magnitude are drawn so that the last epochs can be told apart.
Scale vertical(const std::vector<Curve>& curves) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& c : curves)
    for (const auto* points : {&c.points, &c.minibatches})
      for (const Point& p : *points)
        if (std::isfinite(p.y)) {
          low = std::min(low, p.y);
          high = std::max(high, p.y);
        }
  if (low > high) low = high = 0;
  const bool logarithmic = low > 0 && high / low > 30;
  const double room = logarithmic ? 0 : 0.04 * (high - low);
  return {low - room, high + room, frame.bottom, frame.top, logarithmic};
}

std::string bands(const std::vector<Curve>& curves, const Scale& x, double first, double last) {
  const double step = std::max(1.0, std::ceil((last - first + 1) / most_bands));
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

std::string picture(const std::vector<Curve>& curves, const std::string& what, bool* logarithmic) {
  double first = std::numeric_limits<double>::infinity(), last = 0;
  bool has_minibatches = false;
  for (const Curve& c : curves) {
    has_minibatches |= !c.minibatches.empty();
    for (const Point& p : c.points) {
      first = std::min(first, p.x);
      last = std::max(last, p.x);
    }
    for (const Point& p : c.minibatches) last = std::max(last, std::round(p.x));
  }
  first = std::min(first, last);
  const double half = has_minibatches || first == last ? 0.5 : 0;  // minibatches lie around the mark of their epoch
  const Scale x(first - half, last + half, frame.left, frame.right);
  const Scale y = vertical(curves);
  *logarithmic = y.logarithmic();
  std::string svg = fmt::format("<svg class=\"curves\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                                height, escaped(what + " over epochs"));
  svg += axes(frame, x, y, static_cast<int>(std::clamp(last - first, 1.0, 8.0)), 7, "epoch");
  svg += bands(curves, x, first, last);
  for (const Curve& c : curves) {
    if (!c.minibatches.empty())
      svg += fmt::format("<path class=\"faint {}\" d=\"{}\"/>\n", run_class(c.run), path(c.minibatches, x, y));
    svg += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", run_class(c.run), path(c.points, x, y));
    for (const Point& p : c.points) {
      const bool best = p.x == c.best;
      if (std::isfinite(p.y) && (best || c.points.size() <= most_dots))
        svg += fmt::format("<circle class=\"{} {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", best ? "best" : "dot",
                           run_class(c.run), x(p.x), y(p.y), best ? 4.5 : 2.2);
    }
  }
  return svg + "</svg>";
}

std::vector<Curve> losses(const std::vector<Run>& runs) {
  std::vector<Curve> curves;
  for (size_t r = 0; r < runs.size(); ++r) {
    Curve c{.run = r, .name = runs[r].name, .points = {}, .minibatches = {}};
    for (const auto& [number, epoch] : runs[r].epochs) c.points.push_back({static_cast<double>(number), epoch.loss});
    uint64_t minibatches = 1;  // how many an epoch has is known from the last that was logged
    for (const auto& [at, loss] : runs[r].minibatch_losses) minibatches = std::max(minibatches, at.second + 1);
    uint64_t epoch = 0;
    for (const auto& [at, loss] : runs[r].minibatch_losses) {
      if (at.first != epoch) c.minibatches.push_back({static_cast<double>(at.first), missing});  // each begins anew
      epoch = at.first;
      const double part = (static_cast<double>(at.second) + 0.5) / static_cast<double>(minibatches);
      c.minibatches.push_back({static_cast<double>(at.first) - 0.5 + part, loss});
    }
    if (!c.points.empty() || !c.minibatches.empty()) curves.push_back(std::move(c));
  }
  return curves;
}

std::vector<Curve> scores(const std::vector<Run>& runs, const std::string& metric) {
  std::vector<Curve> curves;
  for (size_t r = 0; r < runs.size(); ++r) {
    Curve c{.run = r, .name = runs[r].name, .points = {}, .minibatches = {}};
    if (const auto best = best_epoch(runs[r])) c.best = static_cast<double>(*best);
    for (const auto& [number, epoch] : runs[r].epochs)
      if (const auto score = epoch.dev.find(metric); score != epoch.dev.end())
        c.points.push_back({static_cast<double>(number), score->second});
    if (!c.points.empty()) curves.push_back(std::move(c));
  }
  return curves;
}

// What is chosen by comes first.
std::vector<std::string> metrics(const std::vector<Run>& runs) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Run& run : runs) add(run.metric);
  for (const Run& run : runs)
    for (const auto& [number, epoch] : run.epochs)
      for (const auto& [name, score] : epoch.dev) add(name);
  return names;
}

}  // namespace

std::string learning_curves(const std::vector<Run>& runs) {
  std::string html;
  bool logarithmic = false;
  if (const auto curves = losses(runs); !curves.empty()) {
    const std::string svg = picture(curves, "loss", &logarithmic);
    const bool thin = std::ranges::any_of(curves, [](const Curve& c) { return !c.minibatches.empty(); });
    html += card("Training loss", svg,
                 std::string("mean of an epoch") + (thin ? "; thin: of the epoch so far" : "") +
                     (logarithmic ? "; logarithmic scale" : ""));
  }
  for (const std::string& metric : metrics(runs))
    if (const auto curves = scores(runs, metric); !curves.empty()) {
      const std::string svg = picture(curves, metric, &logarithmic);
      html += card("Dev " + metric, svg,
                   std::string("a ring marks the epoch that was kept") + (logarithmic ? "; logarithmic scale" : ""));
    }
  return html;
}

}  // namespace espalier::app::report
