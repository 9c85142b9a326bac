// Describes how two outcomes differ.
#include <algorithm>
#include <cmath>

#include "law/op/cell.h"

namespace espalier::law {
namespace {

std::string difference(const Tensor& a, const Tensor& b, double tolerance) {
  if (a.shape() != b.shape()) return str(a.shape()) + " against " + str(b.shape());
  for (size_t e = 0; e < b.size(); ++e) {
    const double x = static_cast<double>(a[e]), y = static_cast<double>(b[e]);
    if (x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))) continue;
    return "element " + std::to_string(e) + " of " + str(b.shape()) + ": " + std::to_string(x) + " against " +
           std::to_string(y);
  }
  return {};
}

}  // namespace

std::string differences(const Outcome& a, const Outcome& b, double tolerance) {
  return differences(a, b, [tolerance](const Tensor& x, const Tensor& y) { return difference(x, y, tolerance); });
}

std::string differences(const Outcome& a, const Outcome& b,
                        const std::function<std::string(const Tensor&, const Tensor&)>& far) {
  auto all = [&](const std::string& what, const std::vector<Tensor>& x, const std::vector<Tensor>& y) -> std::string {
    if (x.size() != y.size()) return what + ": " + std::to_string(x.size()) + " against " + std::to_string(y.size());
    for (size_t i = 0; i < x.size(); ++i)
      if (std::string d = far(x[i], y[i]); !d.empty()) return what + " " + std::to_string(i) + ": " + d;
    return {};
  };
  if (std::string d = all("result of call", a.y, b.y); !d.empty()) return d;
  for (size_t c = 0; c < b.leaves.size(); ++c)
    if (std::string d = all("call " + std::to_string(c) + ", gradient of leaf", a.leaves[c], b.leaves[c]); !d.empty())
      return d;
  return all("gradient of parameter", a.parameters, b.parameters);
}

}  // namespace espalier::law
