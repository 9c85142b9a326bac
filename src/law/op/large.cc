// Law: with large inputs, the device is finite and correct wherever the reference is finite, in values and gradients.
#include <cmath>

#include "law/op/laws.h"

namespace espalier::law {

std::string large_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    if (given == Given::parameters) return {};  // the same kernels
    const OpCell cell(c, given);
    std::vector<Arguments> calls = some_calls(cell, 8);
    // Replaces values by about ±1e4, equal or close to each other, and keeps their signs to stay in the op's domain.
    for (size_t i = 0; i < calls.size(); ++i)
      for (auto& leaf : calls[i].leaves)
        for (size_t e = 0; e < leaf.size(); ++e)
          leaf[e] = std::copysign(i % 2 == 0 ? 1e4f : e % 2 == 0 ? 9.999e3f : 1e4f, leaf[e]);
    const Outcome ref = run_together(on(Device::ref()), cell, calls), own = run_together(on(device), cell, calls);
    // Sums of products of two rows have terms of 1e8 that may cancel.
    const OpInfo& op = cell.op();
    const bool products = !op.elementwise && ref.leaves[0].size() > 1 && op.inputs.size() > 1;
    const double terms = std::pow(1e4, op.degree > 0 ? op.degree : products ? 2 : 1);
    auto far = [&](const Tensor& a, const Tensor& b) -> std::string {
      for (size_t e = 0; e < b.size(); ++e) {
        const double x = static_cast<double>(a[e]), y = static_cast<double>(b[e]);
        if (!std::isfinite(y)) continue;  // such as exp(1e4)
        if (std::isfinite(x) && std::abs(x - y) <= op.tolerance * std::max(terms, std::abs(y))) continue;
        return "element " + std::to_string(e) + ": " + std::to_string(x) + " against " + std::to_string(y);
      }
      return {};
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      const std::string who = "call " + std::to_string(i);
      if (std::string d = far(own.y[i], ref.y[i]); !d.empty()) return who + ", " + d;
      for (size_t l = 0; l < ref.leaves[i].size(); ++l)
        if (std::string d = far(own.leaves[i][l], ref.leaves[i][l]); !d.empty())
          return who + ", gradient of leaf " + std::to_string(l) + ", " + d;
    }
    return {};
  });
}

}  // namespace espalier::law
