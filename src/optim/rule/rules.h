// The update rules for one element, on host and device: the constants of a step, and the update of a parameter p from
// its gradient g and moments m. updates.cc has the same recurrences with SIMD instructions; optimizer.h states them as
// formulas.
#pragma once
#include <cmath>
#include <variant>

#include "base/host_device.h"

namespace espalier::detail {

inline constexpr int max_moments = 3;

// The rates of one parameter in one step: g = scale · gradient + l2 · p; p = shrink · p - rate · …
struct Rates {
  float rate = 0, l2 = 0, shrink = 1;
};

struct SgdRule {
  ESPALIER_HOST_DEVICE static constexpr int moments() { return 0; }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float*) const {
    return ::fmaf(-r.rate, g, p);
  }
};

struct MomentumRule {
  float momentum;
  bool nesterov;

  ESPALIER_HOST_DEVICE static constexpr int moments() { return 1; }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float* m) const {
    m[0] = ::fmaf(momentum, m[0], g);
    return ::fmaf(-r.rate, nesterov ? ::fmaf(momentum, m[0], g) : m[0], p);
  }
};

struct AdagradRule {
  float eps;

  ESPALIER_HOST_DEVICE static constexpr int moments() { return 1; }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float* m) const {
    m[0] = ::fmaf(g, g, m[0]);
    return p - r.rate * g / (::sqrtf(m[0]) + eps);
  }
};

struct AdadeltaRule {
  float rho, eps;

  ESPALIER_HOST_DEVICE static constexpr int moments() { return 2; }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float* m) const {
    m[0] = ::fmaf(rho, m[0], (1 - rho) * g * g);
    const float delta = ::sqrtf(m[1] + eps) / ::sqrtf(m[0] + eps) * g;
    m[1] = ::fmaf(rho, m[1], (1 - rho) * delta * delta);
    return ::fmaf(-r.rate, delta, p);
  }
};

// Moments, in order: the mean of squares; the mean, if centered; the momentum, if above 0.
struct RmspropRule {
  float alpha, eps, momentum;
  bool centered;

  ESPALIER_HOST_DEVICE int moments() const { return 1 + (centered ? 1 : 0) + (momentum > 0 ? 1 : 0); }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float* m) const {
    m[0] = ::fmaf(alpha, m[0], (1 - alpha) * g * g);
    float square = m[0];
    if (centered) {
      m[1] = ::fmaf(alpha, m[1], (1 - alpha) * g);
      square = ::fmaxf(::fmaf(-m[1], m[1], square), 0.f);  // rounding may make it negative
    }
    const float change = g / (::sqrtf(square) + eps);
    if (momentum == 0) return ::fmaf(-r.rate, change, p);
    const float sum = ::fmaf(momentum, centered ? m[2] : m[1], change);
    // Not m[centered ? 2 : 1]: a computed index would keep a device from holding the array in registers.
    if (centered)
      m[2] = sum;
    else
      m[1] = sum;
    return ::fmaf(-r.rate, sum, p);
  }
};

// Rates::rate includes the bias correction of the first moment; correct2 = 1 / √(1 - beta2ᵗ).
struct AdamRule {
  float beta1, beta2, correct2, eps;
  bool amsgrad;

  ESPALIER_HOST_DEVICE int moments() const { return amsgrad ? 3 : 2; }
  ESPALIER_HOST_DEVICE float operator()(const Rates& r, float g, float p, float* m) const {
    m[0] = ::fmaf(beta1, m[0], (1 - beta1) * g);
    m[1] = ::fmaf(beta2, m[1], (1 - beta2) * g * g);
    float square = m[1];
    if (amsgrad) square = m[2] = ::fmaxf(square, m[2]);
    return r.shrink * p - r.rate * m[0] / ::fmaf(::sqrtf(square), correct2, eps);
  }
};

using AnyRule = std::variant<SgdRule, MomentumRule, AdagradRule, AdadeltaRule, RmspropRule, AdamRule>;

}  // namespace espalier::detail
