#include "task/non_finite.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "optim/state.h"
#include "param/parameter_storage.h"

namespace espalier::app {
namespace {

std::string found_in(std::span<const float> numbers, const std::string& who) {
  const auto count = std::count_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
  if (count == 0) return {};
  return fmt::format("{} has {} non-finite value{} of {}", who, count, count == 1 ? "" : "s", numbers.size());
}

}  // namespace

std::string non_finite(Parameters& params) {
  for (const Parameter& p : params.all()) {
    // The storage ends with padding, which is not checked.
    const std::span<const float> numbers(p.storage()->data.host().data(), static_cast<size_t>(p.shape().size()));
    if (std::string found = found_in(numbers, "parameter '" + p.name() + "'"); !found.empty()) return found;
  }
  return {};
}

std::string non_finite(optim::Optimizer& optimizer) {
  std::string found;
  optimizer.state().visit([&](const std::string& name, const Shape&, const float* data, size_t n) {
    if (found.empty()) found = found_in({data, n}, "'" + name + "'");
  });
  return found;
}

}  // namespace espalier::app
