#include "exec/gpu/fused_source.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/check.h"
#include "espalier_device_source.h"

namespace espalier {
namespace {

// One primitive as an expression; {0}, {1}, {2} are its operands.
const char* expression(Primitive p) {
  switch (p) {
    case Primitive::constant:
      break;  // printed as bits
    case Primitive::copy:
      return "{0}";
    case Primitive::negate:
      return "-{0}";
    case Primitive::absolute:
      return "fabsf({0})";
    case Primitive::square_root:
      return "sqrtf({0})";
    case Primitive::exponential:
      return "expf({0})";
    case Primitive::exponential_m1:
      return "expm1f({0})";
    case Primitive::logarithm:
      return "logf({0})";
    case Primitive::logarithm_1p:
      return "log1pf({0})";
    case Primitive::hyperbolic_tangent:
      return "tanhf({0})";
    case Primitive::logistic:
      return "logistic({0})";
    case Primitive::sine:
      return "sinf({0})";
    case Primitive::cosine:
      return "cosf({0})";
    case Primitive::arc_tangent:
      return "atanf({0})";
    case Primitive::error_function:
      return "erff({0})";
    case Primitive::log_gamma:
      return "log_gamma({0})";
    case Primitive::digamma:
      return "digamma({0})";
    case Primitive::floor:
      return "floorf({0})";
    case Primitive::round:
      return "rintf({0})";
    case Primitive::add:
      return "{0} + {1}";
    case Primitive::subtract:
      return "{0} - {1}";
    case Primitive::multiply:
      return "{0} * {1}";
    case Primitive::divide:
      return "{0} / {1}";
    case Primitive::minimum:
      return "{1} < {0} ? {1} : {0}";
    case Primitive::maximum:
      return "{0} < {1} ? {1} : {0}";
    case Primitive::power:
      return "powf({0}, {1})";
    case Primitive::greater:
      return "{0} > {1} ? 1.f : 0.f";
    case Primitive::choose:
      return "{0} != 0.f ? {1} : {2}";
  }
  ESPALIER_CHECK(false);
}

bool uses(const FusedKernel& fused, Primitive p) {
  for (const Instruction& c : fused.code)
    if (c.primitive == p) return true;
  return false;
}

std::string instruction(const Instruction& c) {
  if (c.primitive == Primitive::constant)
    return fmt::format("r{} = __int_as_float({:#010x});", c.out, std::bit_cast<uint32_t>(c.value));
  const auto reg = [](uint16_t r) { return fmt::format("r{}", r); };
  return fmt::format("r{} = {};", c.out,
                     fmt::format(fmt::runtime(expression(c.primitive)), reg(c.a), reg(c.b), reg(c.c)));
}

// Declares the registers, the first of which are the operands, and computes in them.
std::string code(const FusedKernel& fused, const char* lane) {
  std::string s = "    float ";
  for (unsigned r = 0; r < fused.registers; ++r) {
    if (r > 0) s += ", ";
    s += fmt::format("r{}", r);
    if (r < fused.in.size()) s += fmt::format(" = a{}{}", r, fused.in[r].scalar ? "" : lane);
  }
  s += ";\n";
  for (const Instruction& c : fused.code) s += "    " + instruction(c) + "\n";
  return s;
}

const char* vector_type(unsigned lanes) { return lanes == 4 ? "float4" : lanes == 2 ? "float2" : "float"; }

// Elements e to e + lanes - 1 of `row`. Operand k has rows at xk with stride sxk; result k has them at yk.
std::string body(const FusedKernel& fused, unsigned lanes, Results results) {
  std::string s;
  const char* vector = vector_type(lanes);
  for (size_t k = 0; k < fused.in.size(); ++k) {
    if (fused.in[k].scalar) {
      s += fmt::format("  const float a{0} = x{0}[row * sx{0}];\n", k);
    } else {
      s += fmt::format("  __align__(16) float a{0}[{1}];\n  *({2}*)a{0} = *(const {2}*)(x{0} + row * sx{0} + e);\n", k,
                       lanes, vector);
    }
  }
  for (size_t k = 0; k < fused.out.size(); ++k) s += fmt::format("  __align__(16) float b{}[{}];\n", k, lanes);
  s += fmt::format("#pragma unroll\n  for (int v = 0; v < {}; ++v) {{\n", lanes) + code(fused, "[v]");
  for (size_t k = 0; k < fused.out.size(); ++k) s += fmt::format("    b{}[v] = r{};\n", k, fused.out[k].reg);
  s += "  }\n";
  for (size_t k = 0; k < fused.out.size(); ++k) {
    if (results.unread.test(k)) continue;
    s += fmt::format("  *({1}*)(y{0} + row * sy{0} + e) = *({1}*)b{0};\n", k, vector);
    if (results.shadowed.test(k))
      s += fmt::format("  write_shadow<{1}>(y{0} + row * sy{0} + e, b{0}, shadow);\n", k, lanes);
  }
  return s;
}

}  // namespace

SaturatingMask unread_forward(const Code& code, const FusedKernel& fused) {
  const auto is_read = [&](int buffer) {
    const auto reads = [&](const RowsOf& r) { return r.kind == RowsOf::Kind::buffer && r.which == buffer; };
    return std::ranges::any_of(code.forward, [&](const Kernel& k) {
      return std::ranges::any_of(k.in, reads) || (k.adds && reads(k.out)) ||
             std::ranges::any_of(k.fused.in, [&](const FusedKernel::In& in) { return reads(in.rows); });
    });
  };
  SaturatingMask unread;  // never those that share a bit
  for (size_t k = 0; k < std::min(fused.out.size(), SaturatingMask::shared); ++k)
    if (const int b = fused.out[k].rows.which;
        code.buffers[static_cast<size_t>(b)].kind == Buffer::Kind::kept && !is_read(b))
      unread.set(k);
  return unread;
}

std::string device_functions(std::span<const FusedKernel* const> kernels) {
  std::string s;
  const auto any = [&](Primitive p) {
    return std::ranges::any_of(kernels, [&](const FusedKernel* k) { return uses(*k, p); });
  };
  if (any(Primitive::logistic)) s += device_source::logistic;
  if (any(Primitive::log_gamma) || any(Primitive::digamma)) s += device_source::gamma;
  return s;
}

std::string cuda_source(const FusedKernel& fused, unsigned lanes, Results results) {
  ESPALIER_CHECK(fused.size % lanes == 0);
  const FusedKernel* const only = &fused;
  std::string s = device_functions({&only, 1});
  if (results.shadowed.any()) s += device_source::rounding;
  if (!s.empty()) s += "using namespace espalier;\n";
  s += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(unsigned rows", fused_kernel_threads,
                   fused_kernel_name);
  for (size_t k = 0; k < fused.in.size(); ++k) s += fmt::format(", const float* x{0}, long long sx{0}", k);
  for (size_t k = 0; k < fused.out.size(); ++k) s += fmt::format(", float* y{0}, long long sy{0}", k);
  if (results.shadowed.any()) s += ", unsigned long long shadow";
  s += ") {\n";
  s += fmt::format("  const unsigned i = blockIdx.x * {}u + threadIdx.x, row = i / {}u, e = i % {}u * {}u;\n",
                   fused_kernel_threads, fused.size / lanes, fused.size / lanes, lanes);
  s += "  if (row >= rows) return;\n";
  return s + body(fused, lanes, results) + "}\n";
}

std::string cuda_code(const FusedKernel& fused) { return code(fused, ""); }

}  // namespace espalier
