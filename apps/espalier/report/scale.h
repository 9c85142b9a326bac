// From numbers to places in a picture, and the numbers that an axis names.
#pragma once
#include <string>
#include <vector>

namespace espalier::app::report {

struct Range {
  double low = 0, high = 0;
  bool logarithmic = false;
};

// The range from round number to round number that holds low … high, with about `ticks` ticks. It does not pass 1 where
// high is at most 1, nor fall below 0 where low is not negative.
Range rounded(double low, double high, int ticks);

// A linear scale, or one where equal factors are equally far apart.
class Scale {
 public:
  // Numbers low … high lie at places begin … end. A range without extent is widened.
  Scale(double low, double high, double begin, double end, bool logarithmic = false);

  double operator()(double number) const;
  // Round numbers within the range, about `wanted` of them.
  std::vector<double> ticks(int wanted) const;
  bool logarithmic() const { return logarithmic_; }

 private:
  double low_, high_, begin_, end_;
  bool logarithmic_;
};

// The frame of a picture: a line and a number for each tick of y, a number for each tick of x, what x counts.
struct Frame {
  double left, top, right, bottom;  // the area that is drawn on
};
std::string axes(const Frame& frame, const Scale& x, const Scale& y, int x_ticks, int y_ticks,
                 const std::string& x_title, const std::string& y_title = "");

}  // namespace espalier::app::report
