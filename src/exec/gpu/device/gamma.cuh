// log |Γ(x)| and its derivative, computed in double.
#pragma once

namespace espalier {

__device__ inline float log_gamma(float x) { return (float)lgamma((double)x); }

__device__ inline float digamma(float given) {
  const double pi = 3.14159265358979324;
  double x = given, y = 0;
  if (x == 0) return copysignf(__int_as_float(0x7f800000), -given);
  if (x < 0) {  // by reflection
    const double part = x - floor(x);
    if (part == 0) return __int_as_float(0x7fffffff);
    y = -pi / tan(pi * part);
    x = 1 - x;
  }
  for (; x < 10; x += 1) y -= 1 / x;
  const double u = 1 / (x * x);
  const double series =
      u * (1. / 12 - u * (1. / 120 - u * (1. / 252 - u * (1. / 240 - u * (1. / 132 - u * (691. / 32760))))));
  return (float)(y + log(x) - 0.5 / x - series);
}

}  // namespace espalier
