// A chart of curves over epochs, as inline SVG.
#pragma once
#include <string>
#include <vector>

#include "report/scale.h"

namespace espalier::app::report {

struct Point {
  double x = 0, y = 0;
};

// How a line is drawn: CSS classes, and an attribute for a colour that has no class.
struct Mark {
  std::string classes, style{};
};

struct Curve {
  Mark mark;
  std::string name;
  std::vector<Point> points, minibatches;  // x: epoch, counted from 0 as in the log
  double best = -1;                        // the epoch whose parameters were kept; -1: not marked
};

struct Axes {
  double first = 0, last = 0;  // epochs
  bool around = false;         // there are minibatches: those of epoch e are drawn from e - 1/2 to e + 1/2
  Range y;
};

// Axes that hold all curves. The y axis is logarithmic only if `may_be_logarithmic`.
Axes axes_of(const std::vector<Curve>& curves, bool may_be_logarithmic);

// A line per curve; an invisible band per epoch has a tooltip with the values of all curves.
std::string chart(const std::vector<Curve>& curves, const Axes& axes, const std::string& what);

// A short line in the style of the curve, followed by its name.
std::string legend_entry(const Mark& mark, const std::string& name);

}  // namespace espalier::app::report
