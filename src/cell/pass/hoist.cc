// Kernels that can be hoisted out of a recursion. In W x + U h the product W x needs only x: if the x of all steps are
// computed before the first step, one product over all calls replaces one per step. The same holds for the gradient of
// x after the last backward step. Only the plan knows which inputs are computed early; this pass lists the candidates.
#include <algorithm>

#include "cell/passes.h"

namespace espalier {
namespace {

// A kernel or input without a bit of its own is never hoisted.
constexpr size_t max_bits = SaturatingMask::shared;

bool of_calls(const Kernel& k) { return k.space == call_space && k.list < 0; }
SaturatingMask bit_if(bool possible, size_t i) { return possible ? SaturatingMask::of(i) : SaturatingMask(); }

template <class F>
void each_read(const Kernel& k, F&& f) {
  for (const RowsOf& r : k.in)
    if (r.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(r.which));
  for (const FusedKernel::In& r : k.fused.in)
    if (r.rows.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(r.rows.which));
}
template <class F>
void each_write(const Kernel& k, F&& f) {
  if (k.out.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(k.out.which));
  for (const FusedKernel::Out& r : k.fused.out) f(static_cast<size_t>(r.rows.which));
}

// The inputs and kernels that a buffer or kernel depends on. Hoisting is `possible` if all have their own bit and one
// row per call.
struct Needs {
  HoistedKernels of;
  bool possible = true;
  void add(const Needs& n) {
    of.inputs |= n.of.inputs;
    of.kernels |= n.of.kernels;
    possible = possible && n.possible;
  }
};

void find_hoisted_forward(Code& code) {
  std::vector<Needs> needs(code.buffers.size());
  for (size_t j = 0; j < code.input_buffer.size(); ++j) {
    const auto b = static_cast<size_t>(code.input_buffer[j]);
    const Buffer& input = code.buffers[b];
    const bool possible = j < max_bits && input.space == call_space;
    needs[b] = {{bit_if(possible, j), {}}, possible};
    if (input.inside >= 0) needs[static_cast<size_t>(input.inside)].add(needs[b]);
  }
  for (size_t i = 0; i < code.forward.size(); ++i) {
    const Kernel& k = code.forward[i];
    Needs all;
    all.possible = i < max_bits && of_calls(k);
    all.of.kernels = bit_if(all.possible, i);
    each_read(k, [&](size_t b) { all.add(needs[b]); });
    if (k.adds) each_write(k, [&](size_t b) { all.add(needs[b]); });
    each_write(k, [&](size_t b) { needs[b].add(all); });
    if (all.possible && is_product(k.op)) code.hoisted_forward.push_back(all.of);
  }
}

// Din buffers that no kernel of the step reads and that only products write, from rows that outlive the step.
void find_hoisted_backward(Code& code) {
  auto stays = [&](size_t b) {
    const Buffer::Kind kind = code.buffers[b].kind;
    return kind == Buffer::Kind::dkept || kind == Buffer::Kind::kept || kind == Buffer::Kind::output;
  };
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    HoistedKernels of;
    bool possible = code.buffers[b].space == call_space;
    for (size_t j = 0; j < code.din_buffer.size(); ++j)
      if (code.din_buffer[j] == static_cast<int>(b)) {
        possible = possible && j < max_bits;
        of.inputs |= bit_if(possible, j);
      }
    if (!of.inputs.any()) continue;
    for (size_t i = 0; i < code.backward.size() && possible; ++i) {
      const Kernel& k = code.backward[i];
      bool writes = false;
      each_write(k, [&](size_t w) { writes = writes || w == b; });
      each_read(k, [&](size_t r) { possible = possible && r != b && (!writes || stays(r)); });
      if (!writes) continue;
      possible = possible && i < max_bits && of_calls(k) && is_product(k.op);
      of.kernels |= bit_if(possible, i);
    }
    if (possible) code.hoisted_backward.push_back(of);
  }
}

}  // namespace

void find_hoisted(Program& program) {
  find_hoisted_forward(program.code);
  find_hoisted_backward(program.code);
}

}  // namespace espalier
