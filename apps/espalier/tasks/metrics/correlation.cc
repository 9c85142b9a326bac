#include "tasks/metrics/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace espalier::app {
namespace {

double mean(std::span<const float> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

bool any_nan(std::span<const float> x) {
  return std::ranges::any_of(x, [](float number) { return std::isnan(number); });
}

// Requires values without NaN, which has no rank.
std::vector<float> ranks(std::span<const float> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return x[i]; });
  std::vector<float> result(x.size());
  for (size_t begin = 0, end = 1; begin < order.size(); begin = end++) {
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) result[order[i]] = static_cast<float>(begin + end - 1) / 2;
  }
  return result;
}

}  // namespace

double pearson(std::span<const float> x, std::span<const float> y) {
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mx, dy = y[i] - my;
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xy / std::sqrt(xx * yy);
}

double spearman(std::span<const float> x, std::span<const float> y) {
  if (any_nan(x) || any_nan(y)) return std::numeric_limits<double>::quiet_NaN();
  return pearson(ranks(x), ranks(y));
}

double mean_squared_error(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += std::pow(static_cast<double>(x[i]) - static_cast<double>(y[i]), 2);
  return sum / static_cast<double>(x.size());
}

}  // namespace espalier::app
