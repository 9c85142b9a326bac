// A number of a range as one between -1 and 1; beyond the range it goes on. Without a range it stays as it is.
#pragma once
#include "json/schema.h"
#include "json/value.h"

namespace espalier::json {

class Normalised {
 public:
  explicit Normalised(const Schema& schema) {
    if (!schema.minimum || !schema.maximum) return;
    centre_ = *schema.minimum / 2 + *schema.maximum / 2;  // halves first: the sum may be beyond a double
    const double half = *schema.maximum / 2 - *schema.minimum / 2;
    if (half > 0) half_ = half;
  }
  float operator()(const Json& x, Where at) const { return float_of((number_in(x, at) - centre_) / half_, x, at); }

 private:
  double centre_ = 0, half_ = 1;
};

}  // namespace espalier::json
