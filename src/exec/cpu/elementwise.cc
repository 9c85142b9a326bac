#include "exec/cpu/elementwise.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exec/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace espalier::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;
constexpr Floats d;

// The primitives, on vectors.
struct Copy {
  static HWY_INLINE V of(V a) { return a; }
};
struct Negate {
  static HWY_INLINE V of(V a) { return hn::Neg(a); }
};
struct Absolute {
  static HWY_INLINE V of(V a) { return hn::Abs(a); }
};
struct SquareRoot {
  static HWY_INLINE V of(V a) { return hn::Sqrt(a); }
};
struct Exponential {
  static HWY_INLINE V of(V a) { return vector_exp(d, a); }
};
struct ExponentialM1 {
  static HWY_INLINE V of(V a) { return vector_expm1(d, a); }
};
struct Logarithm {
  static HWY_INLINE V of(V a) { return vector_log(d, a); }
};
struct Logarithm1p {
  static HWY_INLINE V of(V a) { return vector_log1p(d, a); }
};
struct HyperbolicTangent {
  static HWY_INLINE V of(V a) { return vector_tanh(d, a); }
};
struct Logistic {
  static HWY_INLINE V of(V a) { return vector_sigmoid(d, a); }
};
struct Sine {
  static HWY_INLINE V of(V a) { return vector_sin(d, a); }
};
struct Cosine {
  static HWY_INLINE V of(V a) { return vector_cos(d, a); }
};
struct Floor {
  static HWY_INLINE V of(V a) { return hn::Floor(a); }
};
struct Add {
  static HWY_INLINE V of(V a, V b) { return hn::Add(a, b); }
};
struct Subtract {
  static HWY_INLINE V of(V a, V b) { return hn::Sub(a, b); }
};
struct Multiply {
  static HWY_INLINE V of(V a, V b) { return hn::Mul(a, b); }
};
struct Divide {
  static HWY_INLINE V of(V a, V b) { return hn::Div(a, b); }
};
struct Minimum {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElse(hn::Lt(b, a), b, a); }
};
struct Maximum {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElse(hn::Lt(a, b), b, a); }
};
struct Greater {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElseZero(hn::Gt(a, b), hn::Set(d, 1.0f)); }
};
struct Choose {  // by equality, for NaN is not 0
  static HWY_INLINE V of(V a, V b, V c) { return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), c, b); }
};

// A primitive over n elements.
using Step = void (*)(const float* a, const float* b, const float* c, float* out, size_t n);

template <class P>
void unary(const float* a, const float*, const float*, float* out, size_t n) {
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(P::of(hn::LoadU(d, a + i)), d, out + i);
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    hn::BlendedStore(P::of(hn::MaskedLoad(mask, d, a + i)), mask, d, out + i);
  }
}
template <class P>
void binary(const float* a, const float* b, const float*, float* out, size_t n) {
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(P::of(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    hn::BlendedStore(P::of(hn::MaskedLoad(mask, d, a + i), hn::MaskedLoad(mask, d, b + i)), mask, d, out + i);
  }
}
template <class P>
void ternary(const float* a, const float* b, const float* c, float* out, size_t n) {
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(P::of(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)), d, out + i);
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    hn::BlendedStore(
        P::of(hn::MaskedLoad(mask, d, a + i), hn::MaskedLoad(mask, d, b + i), hn::MaskedLoad(mask, d, c + i)), mask, d,
        out + i);
  }
}
void nothing(const float*, const float*, const float*, float*, size_t) {}

// In the order of enum Primitive.
constexpr std::array<Step, 22> steps{
    nothing,  // constants are written once, before the tiles
    unary<Copy>,       unary<Negate>,      unary<Absolute>,
    unary<SquareRoot>, unary<Exponential>, unary<ExponentialM1>,
    unary<Logarithm>,  unary<Logarithm1p>, unary<HyperbolicTangent>,
    unary<Logistic>,   unary<Sine>,        unary<Cosine>,
    unary<Floor>,      binary<Add>,        binary<Subtract>,
    binary<Multiply>,  binary<Divide>,     binary<Minimum>,
    binary<Maximum>,   binary<Greater>,    ternary<Choose>,
};
static_assert(steps.size() == static_cast<size_t>(Primitive::choose) + 1);

// Writes up to a vector beyond.
HWY_INLINE void fill(float* out, float value, size_t n) {
  for (size_t i = 0; i < n; i += hn::Lanes(d)) hn::StoreU(hn::Set(d, value), d, out + i);
}

// `count` rows of `size` elements, `stride` apart, one after the other. Writes up to a vector beyond.
HWY_INLINE void pack(const float* from, int64_t stride, size_t count, size_t size, float* out) {
  if (size == 1) {
    for (size_t r = 0; r < count; ++r) out[r] = from[static_cast<int64_t>(r) * stride];
    return;
  }
  for (size_t r = 0; r < count; ++r, from += stride, out += size)
    for (size_t i = 0; i < size; i += hn::Lanes(d))
      hn::StoreU(hn::MaskedLoad(hn::FirstN(d, size - i), d, from + i), d, out + i);
}
HWY_INLINE void repeat(const float* from, int64_t stride, size_t count, size_t size, float* out) {
  for (size_t r = 0; r < count; ++r, from += stride, out += size) fill(out, *from, size);
}
HWY_INLINE void unpack(const float* from, size_t count, size_t size, float* out, int64_t stride) {
  if (size == 1) {
    for (size_t r = 0; r < count; ++r) out[static_cast<int64_t>(r) * stride] = from[r];
    return;
  }
  for (size_t r = 0; r < count; ++r, from += size, out += stride) unary<Copy>(from, nullptr, nullptr, out, size);
}

class Interpreter {
 public:
  Interpreter(const RunLaunch<float>& launch, float* scratch)
      : l_(launch), run_(*launch.run), rows_(static_cast<size_t>(launch.rows)), size_(launch.run->size) {
    void* at = scratch;
    size_t space = cpu_run_scratch(run_) * sizeof(float);
    std::align(64, 1, at, space);
    tiles_ = static_cast<float*>(at);
    reg_ = new (tiles_ + run_.registers * tile_size) float*[run_.registers];
    direct_ = new (reg_ + run_.registers) bool[run_.out.size()];
  }

  void run() {
    if (rows_ == 0 || size_ == 0) return;
    place_registers();
    if (dense())
      flat();
    else if (size_ < 64)
      packed();
    else
      row_by_row();
  }

 private:
  float* tile(size_t reg) const { return tiles_ + reg * tile_size; }
  bool scalar(size_t in) const { return run_.in[in].scalar || size_ == 1; }
  bool shared(size_t in) const { return l_.in[in].stride == 0; }

  // One row, rows without gaps, and operands that are the same everywhere.
  bool dense() const {
    const auto stride = static_cast<int64_t>(size_);
    if (rows_ == 1) return true;
    for (size_t k = 0; k < run_.in.size(); ++k)
      if (!(shared(k) && scalar(k)) && (run_.in[k].scalar || l_.in[k].stride != stride)) return false;
    return std::all_of(l_.out.begin(), l_.out.end(), [&](const Rows<float>& o) { return o.stride == stride; });
  }

  // Constants and scalars that all rows share are written here. A result goes straight to its rows, unless its register
  // is also an operand, a constant or another result: then it is copied.
  void place_registers() {
    const size_t n = std::min(tile_size, rows_ * size_);
    std::fill_n(reg_, run_.registers, nullptr);
    for (size_t k = 0; k < run_.in.size(); ++k) {
      reg_[k] = tile(k);
      if (scalar(k) && (shared(k) || rows_ == 1)) fill(tile(k), *l_.in[k].data, n);
    }
    for (const Instruction& i : run_.code)
      if (i.primitive == Primitive::constant) fill(reg_[i.out] = tile(i.out), i.value, n);
    for (size_t k = 0; k < run_.out.size(); ++k) {
      float*& r = reg_[run_.out[k].reg];
      direct_[k] = r == nullptr;
      if (direct_[k]) r = tile(run_.out[k].reg);
    }
    for (size_t r = 0; r < run_.registers; ++r)
      if (reg_[r] == nullptr) reg_[r] = tile(r);
  }

  HWY_INLINE void execute(size_t n) const {
    for (const Instruction& i : run_.code)
      steps[static_cast<size_t>(i.primitive)](reg_[i.a], reg_[i.b], reg_[i.c], reg_[i.out], n);
  }

  // A piece of one row, or of rows without gaps: `n` elements from `at` on.
  HWY_INLINE void piece(size_t row, size_t at, size_t n) {
    for (size_t k = 0; k < run_.in.size(); ++k)
      if (!scalar(k) || !(shared(k) || run_.in[k].scalar))
        reg_[k] = const_cast<float*>(l_.in[k][static_cast<int64_t>(row)]) + at;  // no step writes to an operand
    for (size_t k = 0; k < run_.out.size(); ++k)
      if (direct_[k]) reg_[run_.out[k].reg] = l_.out[k][static_cast<int64_t>(row)] + at;
    execute(n);
    for (size_t k = 0; k < run_.out.size(); ++k)
      if (!direct_[k])
        unary<Copy>(reg_[run_.out[k].reg], nullptr, nullptr, l_.out[k][static_cast<int64_t>(row)] + at, n);
  }

  void flat() {
    const size_t total = rows_ * size_;
    for (size_t at = 0; at < total; at += tile_size) piece(0, at, std::min(tile_size, total - at));
  }

  void row_by_row() {
    const size_t pieces = (size_ + tile_size - 1) / tile_size;
    const size_t step = ((size_ + pieces - 1) / pieces + 15) / 16 * 16;
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t k = 0; k < run_.in.size(); ++k)
        if (run_.in[k].scalar && !shared(k)) fill(tile(k), *l_.in[k][static_cast<int64_t>(row)], step);
      for (size_t at = 0; at < size_; at += step) piece(row, at, std::min(step, size_ - at));
    }
  }

  // As many whole rows as a tile holds, without gaps. A tile keeps room for the vector that packing writes beyond.
  void packed() {
    const auto stride = static_cast<int64_t>(size_);
    const size_t step = std::min((tile_size - hn::Lanes(d)) / size_, rows_);
    for (size_t k = 0; k < run_.in.size(); ++k)
      if (shared(k) && !scalar(k)) pack(l_.in[k].data, 0, step, size_, tile(k));
    for (size_t row = 0; row < rows_; row += step) {
      const size_t count = std::min(step, rows_ - row);
      const auto first = static_cast<int64_t>(row);
      for (size_t k = 0; k < run_.in.size(); ++k) {
        const Rows<const float>& in = l_.in[k];
        if (shared(k)) continue;
        if (run_.in[k].scalar)
          repeat(in[first], in.stride, count, size_, tile(k));
        else if (in.stride == stride)
          reg_[k] = const_cast<float*>(in[first]);
        else
          pack(in[first], in.stride, count, size_, tile(k));
      }
      for (size_t k = 0; k < run_.out.size(); ++k)
        if (direct_[k] && l_.out[k].stride == stride) reg_[run_.out[k].reg] = l_.out[k][first];
      execute(count * size_);
      for (size_t k = 0; k < run_.out.size(); ++k)
        if (!direct_[k] || l_.out[k].stride != stride)
          unpack(reg_[run_.out[k].reg], count, size_, l_.out[k][first], l_.out[k].stride);
    }
  }

  const RunLaunch<float>& l_;
  const Run& run_;
  size_t rows_, size_;
  float* tiles_ = nullptr;  // one per register
  float** reg_ = nullptr;   // where each register is now
  bool* direct_ = nullptr;  // per result: computed where it belongs
};

void interpret(const RunLaunch<float>& launch, float* scratch) { Interpreter(launch, scratch).run(); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(interpret);
}

size_t cpu_run_scratch(const Run& run) {
  const size_t bytes = run.registers * (tile_size * sizeof(float) + sizeof(float*)) + run.out.size() + 64;
  return (bytes + sizeof(float) - 1) / sizeof(float);
}

void cpu_run(const RunLaunch<float>& launch, float* scratch) { HWY_DYNAMIC_DISPATCH(interpret)(launch, scratch); }

}  // namespace espalier
#endif
