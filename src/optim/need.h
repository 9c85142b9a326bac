// Range checks of options. Each throws Error; the message begins with `who`.
#pragma once
#include <cmath>
#include <string_view>

#include <fmt/core.h>
#include <espalier/base/error.h>

namespace espalier::detail {

inline void need_at_least_zero(std::string_view who, std::string_view what, float value) {
  if (!(value >= 0) || std::isinf(value))
    throw Error(fmt::format("{}: {} is {}; it must be finite and at least 0", who, what, value));
}

inline void need_above_zero(std::string_view who, std::string_view what, float value) {
  if (!(value > 0)) throw Error(fmt::format("{}: {} is {}; it must be above 0", who, what, value));
}

inline void need_below_one(std::string_view who, std::string_view what, float value) {
  if (!(value >= 0 && value < 1))
    throw Error(fmt::format("{}: {} is {}; it must be at least 0 and below 1", who, what, value));
}

}  // namespace espalier::detail
