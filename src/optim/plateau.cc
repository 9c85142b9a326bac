// ReduceLROnPlateau, the only schedule with state.
#include <espalier/optim/schedule.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "optim/need.h"

namespace espalier::optim {

using Mode = ReduceLROnPlateauOptions::Mode;

ReduceLROnPlateau::ReduceLROnPlateau(float lr, ReduceLROnPlateauOptions options)
    : options_(options),
      lr_(lr),
      best_(options.mode == Mode::min ? std::numeric_limits<double>::infinity()
                                      : -std::numeric_limits<double>::infinity()) {
  constexpr std::string_view who = "ReduceLROnPlateau";
  detail::need_at_least_zero(who, "lr", lr);
  detail::need_below_one(who, "factor", options.factor);
  detail::need_at_least_zero(who, "threshold", options.threshold);
  detail::need_at_least_zero(who, "min_lr", options.min_lr);
  detail::need_at_least_zero(who, "eps", options.eps);
}

bool ReduceLROnPlateau::improves(double metric) const {
  const bool least = options_.mode == Mode::min;
  if (std::isinf(best_)) return least ? metric < best_ : metric > best_;  // the first one
  const double margin = static_cast<double>(options_.threshold);
  const double by = options_.threshold_mode == ReduceLROnPlateauOptions::Threshold::relative ? margin * best_ : margin;
  return least ? metric < best_ - by : metric > best_ + by;
}

float ReduceLROnPlateau::step(double metric) {
  if (improves(metric)) {
    best_ = metric;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (resting_ > 0) {
    --resting_;
    bad_ = 0;
  }
  if (bad_ > options_.patience) {
    const float lower = std::max(lr_ * options_.factor, options_.min_lr);
    if (lr_ - lower > options_.eps) lr_ = lower;
    resting_ = options_.cooldown;
    bad_ = 0;
  }
  return lr_;
}

std::string ReduceLROnPlateau::to_string() const {
  return fmt::format("{} {} {} {}", lr_, best_, bad_, resting_);  // the shortest text that restores each number exactly
}

void ReduceLROnPlateau::from_string(std::string_view text) {
  const char *at = text.data(), *const end = text.data() + text.size();
  bool good = true;
  const auto read = [&](auto& number, char after) {
    const auto [next, error] = std::from_chars(at, end, number);
    good = good && error == std::errc{} && (after == '\0' ? next == end : next != end && *next == after);
    if (good) at = after == '\0' ? next : next + 1;
  };
  ReduceLROnPlateau copy = *this;
  read(copy.lr_, ' ');
  read(copy.best_, ' ');
  read(copy.bad_, ' ');
  read(copy.resting_, '\0');
  if (!good || !(copy.lr_ >= 0) || std::isinf(copy.lr_) || std::isnan(copy.best_))
    throw Error(
        fmt::format("ReduceLROnPlateau: the state is '{}'; four numbers are needed, as to_string writes them", text));
  *this = copy;
}

}  // namespace espalier::optim
