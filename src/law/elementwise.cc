#include "law/elementwise.h"

#include <span>

#include <espalier/expr/functions/elementwise.h>
#include "expr/functions/function.h"

namespace espalier::law {
namespace {

struct Case {
  const OpInfo* op;
  Sample sample;
};
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const OpInfo* op : op_table())
    if (op->elementwise && !op->inputs.empty() && !op->random)
      for (const Sample& s : op->samples()) cases.push_back({op, s});
  return cases;
}

// Maps x into the range of the sample. Identical operands become different: ties of max would be a kink.
Expr within(const Sample& s, Expr x, size_t place) {
  const auto n = static_cast<float>(place);
  const double middle = 0.5 * (s.lo + s.hi), half = 0.5 * (s.hi - s.lo) * (1 - 0.1 * static_cast<double>(place));
  return tanh(x * (1 - 0.3f * n) + 0.2f * n) * half + middle;
}

}  // namespace

Expr any_elementwise(unsigned which, const std::array<Expr, 3>& operands) {
  static const std::vector<Case> cases = all_cases();
  const auto& [op, sample] = cases[which % cases.size()];
  std::vector<Operand> given;
  for (size_t i = 0; i < op->inputs.size(); ++i) given.emplace_back(within(sample, operands[i], i));
  return record_function({op->doc.name, given, sample.attrs, Where{}}, op_of_that_name);
}

}  // namespace espalier::law
