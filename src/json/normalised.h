// Normalised: maps the range of a schema linearly to [-1, 1] and extrapolates outside it. Without a range it is the
// identity.
#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "json/schema.h"
#include "json/value.h"

namespace espalier::json {

class Normalised {
 public:
  explicit Normalised(const Schema& schema) {
    if (!schema.minimum || !schema.maximum) return;
    centre_ = *schema.minimum / 2 + *schema.maximum / 2;  // halved before adding: the sum may overflow
    const double half = *schema.maximum / 2 - *schema.minimum / 2;
    if (half <= 0) return;
    half_ = half;
    range_ = printed(*schema.minimum) + " to " + printed(*schema.maximum);
  }
  float operator()(const Json& x, Where at) const {
    const double y = (number_in(x, at) - centre_) / half_;
    if (!range_.empty() && std::abs(y) > std::numeric_limits<float>::max())
      throw DataError(printed(x) + " is given; a number closer to the range " + range_ + " is needed" + str(at));
    return float_of(y, x, at);
  }

 private:
  double centre_ = 0, half_ = 1;
  std::string range_;  // for messages; empty: no range, or a single number
};

}  // namespace espalier::json
