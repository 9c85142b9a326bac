#include "exec/gpu/persistent/source.h"

#include <fmt/format.h>

#include "espalier_device_source.h"
#include "exec/gpu/fused_source.h"

namespace espalier::persistent {
namespace {

// The statement that reads element e of `row` of an operand.
std::string loaded(size_t k, Access access, bool scalar) {
  const char* e = scalar ? "0" : "e";
  switch (access) {
    case Access::strided:
      return fmt::format("  const float a{0} = operands[{0}].data[row * operands[{0}].stride + {1}];\n", k, e);
    case Access::gathered:
      return fmt::format("  const float a{0} = gathered(operands[{0}], row, {1});\n", k, e);
    case Access::near:
      return fmt::format("  const float a{0} = near_of(place, operands[{0}], row, e);\n", k);
  }
  return {};
}
// A fused kernel as a function of the persistent kernel; a thread computes one element at a time.
std::string function_source(const Function& function, const std::string& name) {
  const FusedKernel& fused = *function.kernel;
  std::string s = fmt::format(
      "__device__ __forceinline__ void {0}(const Place& place) {{\n"
      "  const unsigned of_row = min(place.width, {1}u);\n"
      "  for (unsigned i = place.first; i < (place.end - place.row) * of_row; i += place.threads) {{\n"
      "  const unsigned row = place.row + i / of_row, e = place.e + i % of_row;\n",
      name, fused.size);
  for (size_t k = 0; k < fused.in.size(); ++k) s += loaded(k, function.access[k], fused.in[k].scalar);
  s += cuda_code(fused);
  for (size_t k = 0; k < fused.out.size(); ++k) {
    s += fmt::format("  float* const y{0} = operands[{1}].data + row * operands[{1}].stride + e;\n  *y{0} = r{2};\n", k,
                     fused.in.size() + k, fused.out[k].reg);
    if (function.shadowed.test(k))
      s += fmt::format("  write_shadow<1>(y{0}, &r{1}, args.shadow);\n", k, fused.out[k].reg);
  }
  return s + "  }\n}\n";
}

}  // namespace

std::string source(std::span<const Function> functions, Products products) {
  std::vector<const FusedKernel*> fused;
  for (const Function& f : functions) fused.push_back(f.kernel);
  std::string s = fmt::format("#define ESPALIER_FAST_PRODUCTS {:d}\n#define ESPALIER_PLAIN_PRODUCTS {:d}\n",
                              products.fast, products.plain);
  s += device_source::rounding;
  s += device_functions(fused);
  for (const std::string_view part :
       {device_source::persistent_types, device_source::persistent_state, device_source::persistent_gather,
        device_source::persistent_barrier, device_source::persistent_access})
    s += part;
  s += "namespace espalier::persistent {\n";
  for (size_t i = 0; i < functions.size(); ++i) s += function_source(functions[i], fmt::format("run_{}", i));
  s += "__device__ void run(const Place& place) {\n  switch (phase.function) {\n";
  for (size_t i = 0; i < functions.size(); ++i) s += fmt::format("    case {0}: run_{0}(place); break;\n", i);
  s += "  }\n}\n}\n";
  if (products.fast) s += device_source::persistent_fast_product;
  if (products.plain) s += device_source::persistent_plain_product;
  s += device_source::persistent_kernel;
  return s;
}

}  // namespace espalier::persistent
