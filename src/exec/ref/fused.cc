#include "exec/ref/fused.h"

#include <vector>

namespace espalier {
namespace {

double evaluate(const Instruction& i, double a, double b, double c) {
  switch (i.primitive) {
    case Primitive::constant:
      return static_cast<double>(i.value);
    case Primitive::copy:
      return a;
    case Primitive::negate:
      return -a;
    case Primitive::absolute:
      return op::abs(a);
    case Primitive::square_root:
      return op::sqrt(a);
    case Primitive::exponential:
      return op::exp(a);
    case Primitive::exponential_m1:
      return op::expm1(a);
    case Primitive::logarithm:
      return op::log(a);
    case Primitive::logarithm_1p:
      return op::log1p(a);
    case Primitive::hyperbolic_tangent:
      return op::tanh(a);
    case Primitive::logistic:
      return op::sigmoid(a);
    case Primitive::sine:
      return op::sin(a);
    case Primitive::cosine:
      return op::cos(a);
    case Primitive::arc_tangent:
      return op::atan(a);
    case Primitive::error_function:
      return op::erf(a);
    case Primitive::log_gamma:
      return op::lgamma(a);
    case Primitive::digamma:
      return op::digamma(a);
    case Primitive::floor:
      return op::floor(a);
    case Primitive::round:
      return op::round(a);
    case Primitive::add:
      return a + b;
    case Primitive::subtract:
      return a - b;
    case Primitive::multiply:
      return a * b;
    case Primitive::divide:
      return a / b;
    case Primitive::minimum:
      return op::min(a, b);
    case Primitive::maximum:
      return op::max(a, b);
    case Primitive::power:
      return op::pow(a, b);
    case Primitive::greater:
      return a > b ? 1 : 0;
    case Primitive::choose:
      return op::select(a != 0, b, c);
  }
  return 0;
}

}  // namespace

void ref_fused(const FusedLaunch<double>& launch) {
  const FusedKernel& fused = *launch.kernel;
  std::vector<double> value(fused.registers);
  for (int64_t row = 0; row < launch.rows; ++row)
    for (uint64_t e = 0; e < fused.size; ++e) {
      for (size_t k = 0; k < fused.in.size(); ++k) value[k] = launch.in[k][row][fused.in[k].scalar ? 0 : e];
      for (const Instruction& i : fused.code) value[i.out] = evaluate(i, value[i.a], value[i.b], value[i.c]);
      for (size_t k = 0; k < fused.out.size(); ++k) launch.out[k][row][e] = value[fused.out[k].reg];
    }
}

}  // namespace espalier
