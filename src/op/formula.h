// The formula of an element-wise op as data. An op writes its formula once, as a template over the value type. With
// double it is the reference; with Symbol it records a short list of primitive instructions, which the CPU executor
// runs tile by tile with SIMD and the CUDA executor prints as source. Devices know the primitives, never the ops.
#pragma once
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "op/gamma.h"

namespace espalier {

enum class Primitive : uint8_t {
  constant,
  copy,
  negate,
  absolute,
  square_root,
  exponential,
  exponential_m1,
  logarithm,
  logarithm_1p,
  hyperbolic_tangent,
  logistic,
  sine,
  cosine,
  arc_tangent,
  error_function,
  log_gamma,
  digamma,
  floor,
  round,  // ties to even
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  power,
  greater,  // 1 where a > b, else 0
  choose,   // b where a is not 0, else c
};

struct Instruction {
  Primitive primitive;
  uint16_t out = 0, a = 0, b = 0, c = 0;  // registers
  float value = 0;                        // if a constant
  bool operator==(const Instruction&) const = default;
};

struct Formula {
  uint16_t inputs = 0;  // registers 0 … inputs-1 hold the operands
  uint16_t registers = 0;
  uint16_t result = 0;
  std::vector<Instruction> code;
};

namespace op {  // the namespace of the ops: their formulas find these overloads first

// A symbolic value that records how it was computed.
class Symbol {
 public:
  Symbol(double constant) : constant_(constant) {}  // implicit, so formulas can write 1 - y
  Symbol(Formula* formula, uint16_t reg) : formula_(formula), register_(reg) {}

  static Symbol make(Primitive p, Symbol a) {
    const uint16_t ra = a.in(a.formula_);
    return emit(a.formula_, p, ra, ra, ra);
  }
  static Symbol make(Primitive p, Symbol a, Symbol b) {
    Formula* f = a.formula_ != nullptr ? a.formula_ : b.formula_;
    const uint16_t ra = a.in(f), rb = b.in(f);
    return emit(f, p, ra, rb, rb);
  }
  static Symbol make(Primitive p, Symbol a, Symbol b, Symbol c) {
    Formula* f = a.formula_;
    const uint16_t ra = a.in(f), rb = b.in(f), rc = c.in(f);
    return emit(f, p, ra, rb, rc);
  }

  // The register that holds the value; a constant is loaded into a new one.
  uint16_t in(Formula* formula) const {
    ESPALIER_CHECK(formula != nullptr);
    if (formula_ != nullptr) return register_;
    const uint16_t r = formula->registers++;
    formula->code.push_back({Primitive::constant, r, 0, 0, 0, static_cast<float>(constant_)});
    return r;
  }

 private:
  static Symbol emit(Formula* f, Primitive p, uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t out = f->registers++;
    f->code.push_back({p, out, a, b, c, 0});
    return {f, out};
  }
  Formula* formula_ = nullptr;
  uint16_t register_ = 0;
  double constant_ = 0;
};

inline Symbol operator+(Symbol a, Symbol b) { return Symbol::make(Primitive::add, a, b); }
inline Symbol operator-(Symbol a, Symbol b) { return Symbol::make(Primitive::subtract, a, b); }
inline Symbol operator*(Symbol a, Symbol b) { return Symbol::make(Primitive::multiply, a, b); }
inline Symbol operator/(Symbol a, Symbol b) { return Symbol::make(Primitive::divide, a, b); }
inline Symbol operator+(Symbol a) { return Symbol::make(Primitive::copy, a); }
inline Symbol operator-(Symbol a) { return Symbol::make(Primitive::negate, a); }
inline Symbol operator>(Symbol a, Symbol b) { return Symbol::make(Primitive::greater, a, b); }
inline Symbol select(Symbol condition, Symbol a, Symbol b) { return Symbol::make(Primitive::choose, condition, a, b); }
inline Symbol min(Symbol a, Symbol b) { return Symbol::make(Primitive::minimum, a, b); }
inline Symbol max(Symbol a, Symbol b) { return Symbol::make(Primitive::maximum, a, b); }
inline Symbol abs(Symbol a) { return Symbol::make(Primitive::absolute, a); }
inline Symbol sqrt(Symbol a) { return Symbol::make(Primitive::square_root, a); }
inline Symbol exp(Symbol a) { return Symbol::make(Primitive::exponential, a); }
inline Symbol expm1(Symbol a) { return Symbol::make(Primitive::exponential_m1, a); }
inline Symbol log(Symbol a) { return Symbol::make(Primitive::logarithm, a); }
inline Symbol log1p(Symbol a) { return Symbol::make(Primitive::logarithm_1p, a); }
inline Symbol tanh(Symbol a) { return Symbol::make(Primitive::hyperbolic_tangent, a); }
inline Symbol sigmoid(Symbol a) { return Symbol::make(Primitive::logistic, a); }
inline Symbol sin(Symbol a) { return Symbol::make(Primitive::sine, a); }
inline Symbol cos(Symbol a) { return Symbol::make(Primitive::cosine, a); }
inline Symbol atan(Symbol a) { return Symbol::make(Primitive::arc_tangent, a); }
inline Symbol erf(Symbol a) { return Symbol::make(Primitive::error_function, a); }
inline Symbol lgamma(Symbol a) { return Symbol::make(Primitive::log_gamma, a); }
inline Symbol digamma(Symbol a) { return Symbol::make(Primitive::digamma, a); }
inline Symbol floor(Symbol a) { return Symbol::make(Primitive::floor, a); }
inline Symbol round(Symbol a) { return Symbol::make(Primitive::round, a); }
inline Symbol pow(Symbol a, Symbol b) { return Symbol::make(Primitive::power, a, b); }

inline double select(bool condition, double a, double b) { return condition ? a : b; }
inline double select(double condition, double a, double b) { return condition != 0 ? a : b; }
inline double min(double a, double b) { return b < a ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }
inline double abs(double a) { return std::fabs(a); }
inline double sqrt(double a) { return std::sqrt(a); }
inline double exp(double a) { return std::exp(a); }
inline double expm1(double a) { return std::expm1(a); }
inline double log(double a) { return std::log(a); }
inline double log1p(double a) { return std::log1p(a); }
inline double tanh(double a) { return std::tanh(a); }
inline double sigmoid(double a) { return a >= 0 ? 1 / (1 + std::exp(-a)) : std::exp(a) / (1 + std::exp(a)); }
inline double sin(double a) { return std::sin(a); }
inline double cos(double a) { return std::cos(a); }
inline double atan(double a) { return std::atan(a); }
inline double erf(double a) { return std::erf(a); }
inline double lgamma(double a) { return log_gamma(a); }
inline double digamma(double a) { return espalier::digamma(a); }
inline double floor(double a) { return std::floor(a); }
inline double round(double a) { return std::nearbyint(a); }
inline double pow(double a, double b) { return std::pow(a, b); }

}  // namespace op
}  // namespace espalier
