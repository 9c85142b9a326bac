// The logarithm of the gamma function and its derivative, in double.
#pragma once
#include <cmath>
#include <limits>

namespace espalier {

// log |Γ(x)|. Thread-safe, unlike std::lgamma, which writes the sign to a global.
inline double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// The derivative of log_gamma: -inf at +0, +inf at -0, NaN at negative integers.
inline double digamma(double x) {
  constexpr double pi = 3.14159265358979324;
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {  // ψ(x) = ψ(1 - x) - π / tan(π x)
    const double part = x - std::floor(x);
    return part > 0 ? digamma(1 - x) - pi / std::tan(pi * part) : std::numeric_limits<double>::quiet_NaN();
  }
  double y = 0;
  for (; x < 10; x += 1) y -= 1 / x;  // ψ(x) = ψ(x + 1) - 1 / x
  // The asymptotic series, with Bernoulli numbers.
  const double u = 1 / (x * x);
  const double series =
      u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u * (1.0 / 240 - u * (1.0 / 132 - u * (691.0 / 32760))))));
  return y + std::log(x) - 0.5 / x - series;
}

}  // namespace espalier
