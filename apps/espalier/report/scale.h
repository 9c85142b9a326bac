// Maps numbers to positions in a picture, and chooses the ticks of an axis.
#pragma once
#include <string>
#include <vector>

namespace espalier::app::report {

struct Range {
  double low = 0, high = 0;
  bool logarithmic = false;
};

// Extends [low, high] to round numbers, for about `ticks` ticks. The result does not exceed 1 if high <= 1, and is not
// negative if low >= 0.
Range rounded(double low, double high, int ticks);

// A linear or logarithmic scale.
class Scale {
 public:
  // Maps low … high to positions begin … end. An empty range is widened.
  Scale(double low, double high, double begin, double end, bool logarithmic = false);

  double operator()(double number) const;
  // About `wanted` round numbers within the range.
  std::vector<double> ticks(int wanted) const;
  bool logarithmic() const { return logarithmic_; }

 private:
  double low_, high_, begin_, end_;
  bool logarithmic_;
};

struct Frame {
  double left, top, right, bottom;  // the drawing area
};
// Grid lines and tick labels of y, tick labels of x, and the titles of the axes.
std::string axes(const Frame& frame, const Scale& x, const Scale& y, int x_ticks, int y_ticks,
                 const std::string& x_title, const std::string& y_title = "");

}  // namespace espalier::app::report
