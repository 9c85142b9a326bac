// What of a cell need not wait for a recursion. In W x + U h the product W x needs x alone; where the x of all steps
// are there before the first of them, one product over all calls takes its place (the prologue). So it is with the
// gradient of x, after the last backward step (the epilogue). Which inputs are there early is known only to the plan.
#include <algorithm>

#include "cell/passes.h"

namespace espalier {
namespace {

constexpr int most_bits = 63;  // PlanStep::kernels: the last bit stands for all later kernels

bool of_calls(const Kernel& k) { return k.space == call_space && k.list < 0; }
uint64_t bit(size_t i) { return uint64_t{1} << i; }

template <class F>
void each_read(const Kernel& k, F&& f) {
  for (const RowsOf& r : k.in)
    if (r.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(r.which));
  for (const Run::In& r : k.run.in)
    if (r.rows.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(r.rows.which));
}
template <class F>
void each_write(const Kernel& k, F&& f) {
  if (k.out.kind == RowsOf::Kind::buffer) f(static_cast<size_t>(k.out.which));
  for (const Run::Out& r : k.run.out) f(static_cast<size_t>(r.rows.which));
}

// What the rows of a buffer, or a kernel, need; `possible` while it can be said in bits and there is a row per call.
struct Needs {
  Ahead of;
  bool possible = true;
  void add(const Needs& n) {
    of.inputs |= n.of.inputs;
    of.kernels |= n.of.kernels;
    possible = possible && n.possible;
  }
};

void find_prologue(Code& code) {
  std::vector<Needs> needs(code.buffers.size());
  for (size_t j = 0; j < code.input_buffer.size(); ++j) {
    const auto b = static_cast<size_t>(code.input_buffer[j]);
    const Buffer& input = code.buffers[b];
    const bool possible = j < most_bits && input.space == call_space;
    needs[b] = {{possible ? bit(j) : 0, 0}, possible};
    if (input.inside >= 0) needs[static_cast<size_t>(input.inside)].add(needs[b]);
  }
  for (size_t i = 0; i < code.forward.size(); ++i) {
    const Kernel& k = code.forward[i];
    Needs all;
    all.possible = i < most_bits && of_calls(k);
    all.of.kernels = all.possible ? bit(i) : 0;
    each_read(k, [&](size_t b) { all.add(needs[b]); });
    if (k.adds) each_write(k, [&](size_t b) { all.add(needs[b]); });
    each_write(k, [&](size_t b) { needs[b].add(all); });
    if (all.possible && is_product(k.op)) code.prologue.push_back(all.of);
  }
}

// The gradients that products write from rows which are there for all steps, and nothing in the step reads.
void find_epilogue(Code& code) {
  auto stays = [&](size_t b) {
    const Buffer::Kind kind = code.buffers[b].kind;
    return kind == Buffer::Kind::dkept || kind == Buffer::Kind::kept || kind == Buffer::Kind::output;
  };
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    Ahead of;
    bool possible = code.buffers[b].space == call_space;
    for (size_t j = 0; j < code.slot_buffer.size(); ++j)
      if (code.slot_buffer[j] == static_cast<int>(b)) {
        possible = possible && j < most_bits;
        of.inputs |= possible ? bit(j) : 0;
      }
    if (of.inputs == 0) continue;
    for (size_t i = 0; i < code.backward.size() && possible; ++i) {
      const Kernel& k = code.backward[i];
      bool writes = false;
      each_write(k, [&](size_t w) { writes = writes || w == b; });
      each_read(k, [&](size_t r) { possible = possible && r != b && (!writes || stays(r)); });
      if (!writes) continue;
      possible = possible && i < most_bits && of_calls(k) && is_product(k.op);
      of.kernels |= possible ? bit(i) : 0;
    }
    if (possible) code.epilogue.push_back(of);
  }
}

}  // namespace

void find_ahead(Program& program) {
  find_prologue(program.code);
  find_epilogue(program.code);
}

}  // namespace espalier
