#include "exec/cpu/elementwise/elementwise.h"

#include <algorithm>
#include <memory>
#include <new>

#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/elementwise/elementwise.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exec/cpu/elementwise/actions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace espalier::simd::HWY_NAMESPACE;

constexpr size_t tile_size = 256;                 // maximum elements of packed rows
constexpr size_t register_size = tile_size + 32;  // packing writes up to two vectors past the end

// fill, pack and repeat write whole vectors, so up to one vector past the last element.
HWY_INLINE void fill(float* out, float value, size_t n) {
  for (size_t i = 0; i < n; i += lanes()) hn::StoreU(hn::Set(d, value), d, out + i);
}
HWY_INLINE void pack(const float* from, int64_t stride, size_t count, size_t size, float* out) {
  if (size == 1) {
    for (size_t r = 0; r < count; ++r) out[r] = from[static_cast<int64_t>(r) * stride];
    return;
  }
  for (size_t r = 0; r < count; ++r, from += stride, out += size)
    for (size_t i = 0; i < size; i += lanes())
      hn::StoreU(hn::MaskedLoad(hn::FirstN(d, size - i), d, from + i), d, out + i);
}
HWY_INLINE void repeat(const float* from, int64_t stride, size_t count, size_t size, float* out) {
  for (size_t r = 0; r < count; ++r, from += stride, out += size) fill(out, *from, size);
}
// Writes nothing past the last element.
HWY_INLINE void unpack(const float* from, size_t count, size_t size, float* out, int64_t stride) {
  if (size == 1) {
    for (size_t r = 0; r < count; ++r) out[static_cast<int64_t>(r) * stride] = from[r];
    return;
  }
  for (size_t r = 0; r < count; ++r, from += size, out += stride)
    for (size_t i = 0; i < size; i += lanes())
      hn::BlendedStore(hn::LoadU(d, from + i), hn::FirstN(d, size - i), d, out + i);
}

int operands(Primitive p) {
  if (p == Primitive::constant) return 0;
  return p < Primitive::add ? 1 : p < Primitive::choose ? 2 : 3;
}

// The operands of an instruction that are in the accumulators if these hold register `reg`: bit 0 is a, bit 1 is b.
HWY_INLINE unsigned accumulated(const Instruction& i, int n, int reg) {
  return (i.a == reg ? 1 : 0) | (n == 2 && i.b == reg ? 2 : 0);
}

class Interpreter {
 public:
  Interpreter(const FusedLaunch<float>& launch, float* scratch)
      : l_(launch), run_(*launch.kernel), rows_(static_cast<size_t>(launch.rows)), size_(launch.kernel->size) {
    void* memory = scratch;
    size_t space = scratch_bytes(run_);
    std::align(64, 1, memory, space);
    spots_ = (run_.registers + run_.out.size() + 7) / 8 * 8;
    tiles_ = static_cast<float*>(memory);
    at_ = new (tiles_ + spots_ * register_size) float*[spots_];
    row_ = new (static_cast<void*>(at_ + spots_)) float*[spots_];
    stride_ = new (static_cast<void*>(row_ + spots_)) int64_t[spots_];
    moves_ = new (stride_ + spots_) size_t[spots_];
    result_ = new (moves_ + spots_) size_t[run_.out.size()];
    program_ = reinterpret_cast<Action*>(result_ + run_.out.size());
    flags_ = reinterpret_cast<uint8_t*>(program_ + max_actions(run_));
  }

  static size_t scratch_bytes(const FusedKernel& fused) {
    const size_t spots = (fused.registers + fused.out.size() + 7) / 8 * 8;
    return spots * (register_size * sizeof(float) + 4 * sizeof(size_t)) + fused.out.size() * sizeof(size_t) +
           max_actions(fused) * sizeof(Action) + fused.registers + fused.code.size() + 64;
  }

  void run() {
    if (rows_ == 0 || size_ == 0) return;
    place_registers();
    write_program();
    if (rows_ * size_ >= block_size() && dense())
      blocks(rows_ * size_);
    else if (size_ >= block_size())
      row_by_row();
    else
      packed();
  }

 private:
  static size_t max_actions(const FusedKernel& fused) { return 3 * fused.code.size() + 2 * fused.out.size() + 1; }
  float* tile(size_t spot) const { return tiles_ + spot * register_size; }
  bool shared(size_t in) const { return l_.in[in].stride == 0; }
  // Whether an operand has the same value in all elements of all rows.
  bool fixed(size_t in) const { return shared(in) && (run_.in[in].scalar || size_ == 1); }

  // Whether all operands and results are rows without gaps, or fixed.
  bool dense() const {
    if (rows_ == 1) return true;
    const auto stride = static_cast<int64_t>(size_);
    for (size_t k = 0; k < run_.in.size(); ++k)
      if (!fixed(k) && (run_.in[k].scalar || l_.in[k].stride != stride)) return false;
    return std::all_of(l_.out.begin(), l_.out.end(), [&](const Rows<float>& o) { return o.stride == stride; });
  }

  // Every register has a spot: an address that stays at its tile or moves through rows. A result is computed in place,
  // unless its register is also an operand, a constant or another result: then it has a separate spot and is copied.
  void place_registers() {
    for (size_t s = 0; s < spots_; ++s) {
      at_[s] = row_[s] = tile(s);
      stride_[s] = 0;
      moves_[s] = 0;
    }
    std::fill_n(flags_, run_.registers, uint8_t{0});
    for (size_t k = 0; k < run_.in.size(); ++k) {
      flags_[k] = 1;
      if (fixed(k) || (run_.in[k].scalar && rows_ == 1))
        fill(tile(k), *l_.in[k].data, block_size());
      else if (!run_.in[k].scalar)
        move(k, const_cast<float*>(l_.in[k].data), l_.in[k].stride);  // no action writes to an operand
    }
    for (const Instruction& i : run_.code)
      if (i.primitive == Primitive::constant) {
        fill(tile(i.out), i.value, block_size());
        flags_[i.out] = 1;
      }
    for (size_t k = 0; k < run_.out.size(); ++k) {
      const uint16_t reg = run_.out[k].reg;
      result_[k] = flags_[reg] != 0 ? run_.registers + k : reg;
      flags_[reg] = 1;
      move(result_[k], l_.out[k].data, l_.out[k].stride);
    }
  }
  void move(size_t spot, float* first, int64_t stride) {
    row_[spot] = first;
    stride_[spot] = stride;
    moves_[spot] = ~size_t{0};
  }

  void act(Action::Function function, size_t a, size_t b = 0, size_t c = 0) {
    new (&program_[actions_++]) Action{function, at_ + a, at_ + b, at_ + c};
  }

  // A result is stored only if it is read from memory: by an instruction other than the next, or after the kernel. A
  // pass from the last instruction to the first finds this; then the actions are emitted.
  void write_program() {
    uint8_t *live = flags_, *stored = flags_ + run_.registers;
    std::fill_n(live, run_.registers, uint8_t{0});
    for (const FusedKernel::Out& o : run_.out) live[o.reg] = 1;
    const auto& code = run_.code;
    size_t first = 0;
    while (first < code.size() && code[first].primitive == Primitive::constant) ++first;
    for (size_t k = code.size(); k-- > first;) {
      const Instruction& i = code[k];
      stored[k] = live[i.out];
      live[i.out] = 0;
      const int n = operands(i.primitive);
      const unsigned held = k > first ? accumulated(i, n, code[k - 1].out) : 0;
      if (n > 0 && (held & 1) == 0) live[i.a] = 1;
      if (n > 1 && (held & 2) == 0) live[i.b] = 1;
      if (n > 2) live[i.c] = 1;
    }
    int accumulator = -1;
    for (size_t k = first; k < code.size(); ++k) {
      const Instruction& i = code[k];
      const int n = operands(i.primitive);
      if (n == 0) continue;
      unsigned held = accumulated(i, n, accumulator);
      if (n == 1 && held == 0) act(load, i.a);
      if (n == 1) held = 1;
      if (i.primitive != Primitive::copy) act(actions[static_cast<size_t>(i.primitive)][held], i.a, i.b, i.c);
      if (stored[k] != 0) act(store, i.out);
      accumulator = i.out;
    }
    for (size_t k = 0; k < run_.out.size(); ++k)
      if (result_[k] != run_.out[k].reg) {
        act(load, run_.out[k].reg);
        act(store, result_[k]);
      }
    act(done, 0);
  }

  HWY_INLINE void block(size_t e) const {
    float** HWY_RESTRICT at = at_;
    for (size_t s = 0; s < spots_; ++s) at[s] = row_[s] + (moves_[s] & e);
    const V zero = hn::Zero(d);
    program_->function(program_, zero, zero, zero, zero);
  }
  // Elements 0 to n - 1. The last block overlaps the one before or, if everything is in tiles, extends past the end.
  HWY_INLINE void blocks(size_t n) const {
    size_t e = 0;
    for (; e + block_size() <= n; e += block_size()) block(e);
    if (e < n) block(n < block_size() ? 0 : n - block_size());
  }

  void row_by_row() {
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t k = 0; k < run_.in.size(); ++k)
        if (run_.in[k].scalar && !shared(k)) fill(tile(k), *l_.in[k][static_cast<int64_t>(row)], block_size());
      fetch_next_row();
      blocks(size_);
      for (size_t s = 0; s < spots_; ++s) row_[s] += stride_[s];
    }
  }
  // A kernel reads and writes about twenty rows at once, more streams than hardware prefetchers follow.
  void fetch_next_row() const {
    constexpr size_t line = 16;
    const size_t near = std::min<size_t>(size_, 512);
    for (size_t s = 0; s < spots_; ++s)
      if (stride_[s] != 0)
        for (size_t e = 0; e < near; e += line) hwy::Prefetch(row_[s] + stride_[s] + e);
  }

  // Processes as many whole rows at a time as fit into a tile; rows with gaps are copied to tiles.
  void packed() {
    const size_t step = std::min(tile_size / size_, rows_);
    for (size_t row = 0; row < rows_; row += step) {
      const size_t count = std::min(step, rows_ - row);
      for (size_t k = 0; k < run_.in.size(); ++k) pack_operand(k, row, count);
      for (size_t k = 0; k < run_.out.size(); ++k)
        row_[result_[k]] = straight(l_.out[k], count) ? l_.out[k][static_cast<int64_t>(row)] : tile(result_[k]);
      blocks(count * size_);
      for (size_t k = 0; k < run_.out.size(); ++k)
        if (Rows<float> to = l_.out[k]; !straight(to, count))
          unpack(tile(result_[k]), count, size_, to[static_cast<int64_t>(row)], to.stride);
    }
  }
  void pack_operand(size_t k, size_t row, size_t count) {
    const Rows<const float>& in = l_.in[k];
    const float* from = in[static_cast<int64_t>(row)];
    if (fixed(k) || (shared(k) && row > 0)) return;
    if (straight(in, count) && !run_.in[k].scalar) {
      row_[k] = const_cast<float*>(from);
      return;
    }
    (run_.in[k].scalar ? repeat : pack)(from, in.stride, count, size_, tile(k));
    if (count * size_ < block_size()) fill(tile(k) + count * size_, 0, block_size() - count * size_);
    move(k, tile(k), 0);
  }
  // Rows that can be used in place: without gaps, and enough for a block.
  template <class T>
  bool straight(const Rows<T>& r, size_t count) const {
    return r.stride == static_cast<int64_t>(size_) && count * size_ >= block_size();
  }

  const FusedLaunch<float>& l_;
  const FusedKernel& run_;
  size_t rows_, size_;
  // Per spot (one per register and per result, rounded up): its tile; its current address; the start of its row and the
  // distance to the next row; all ones if it moves with the elements of a row, else 0.
  size_t spots_ = 0;
  float* tiles_ = nullptr;
  float** at_ = nullptr;
  float** row_ = nullptr;
  int64_t* stride_ = nullptr;
  size_t* moves_ = nullptr;
  size_t* result_ = nullptr;  // the spot of each result
  Action* program_ = nullptr;
  size_t actions_ = 0;
  uint8_t* flags_ = nullptr;  // one per register, then one per instruction
};

void interpret(const FusedLaunch<float>& launch, float* scratch) { Interpreter(launch, scratch).run(); }
size_t scratch_bytes(const FusedKernel& fused) { return Interpreter::scratch_bytes(fused); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(interpret);
HWY_EXPORT(scratch_bytes);
}  // namespace

size_t cpu_fused_scratch(const FusedKernel& fused) {
  return HWY_DYNAMIC_DISPATCH(scratch_bytes)(fused) / sizeof(float) + 1;
}

void cpu_fused(const FusedLaunch<float>& launch, float* scratch) { HWY_DYNAMIC_DISPATCH(interpret)(launch, scratch); }

}  // namespace espalier
#endif
