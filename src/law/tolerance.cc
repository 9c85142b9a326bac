#include "law/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::law {
namespace {

double root_mean_square(const Tensor& t) {
  double squares = 0;
  for (const float x : t) squares += static_cast<double>(x) * static_cast<double>(x);
  return t.empty() ? 0 : std::sqrt(squares / static_cast<double>(t.size()));
}

}  // namespace

double distance(const Tensor& got, const Tensor& want, double least) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (got.shape() != want.shape()) return infinity;
  const double typical = std::max(least, root_mean_square(want));
  double most = 0;
  for (size_t e = 0; e < want.size(); ++e) {
    const double x = static_cast<double>(got[e]), y = static_cast<double>(want[e]);
    if (x == y) continue;  // covers infinities
    const double d = std::abs(x - y) / std::max(typical, std::abs(y));
    most = std::max(most, std::isnan(d) ? infinity : d);
  }
  return most;
}

std::string too_far(const Tensor& got, const Tensor& want, Precision precision, double least) {
  const double d = distance(got, want, least), most = bound(precision);
  if (d <= most) return {};
  return std::string(name(precision)) + ": " + str(want.shape()) + " is off by " + std::to_string(d) + ", " +
         std::to_string(d / most) + " times the bound";
}

std::string_view name(Precision precision) {
  return precision == Precision::f32 ? "f32" : precision == Precision::tf32 ? "tf32" : "bf16";
}

}  // namespace espalier::law
