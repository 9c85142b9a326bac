#include "cell/generate/fused_kernel_writer.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>

namespace espalier {
namespace {

bool same(const RowsOf& a, const RowsOf& b) {
  return a.kind == b.kind && a.which == b.which && a.offset == b.offset && a.size == b.size;
}

// Renumbers registers: temporaries share registers; operands, constants and results keep their own.
void reuse_registers(FusedKernel& fused) {
  std::vector<size_t> last(fused.registers, 0);
  std::vector<bool> fixed(fused.registers, false);
  for (size_t r = 0; r < fused.in.size(); ++r) fixed[r] = true;
  for (const FusedKernel::Out& o : fused.out) fixed[o.reg] = true;
  for (size_t i = 0; i < fused.code.size(); ++i) {
    const Instruction& c = fused.code[i];
    if (c.primitive == Primitive::constant) fixed[c.out] = true;
    for (uint16_t r : {c.a, c.b, c.c}) last[r] = i;
  }
  std::vector<int> to(fused.registers, -1);
  uint16_t next = 0;
  for (size_t r = 0; r < fused.in.size(); ++r) to[r] = next++;
  std::vector<uint16_t> free;
  for (size_t i = 0; i < fused.code.size(); ++i) {
    Instruction& c = fused.code[i];
    const std::array<uint16_t, 3> used{c.a, c.b, c.c};
    const uint16_t out = c.out;
    if (c.primitive != Primitive::constant) {
      c.a = static_cast<uint16_t>(to[c.a]);
      c.b = static_cast<uint16_t>(to[c.b]);
      c.c = static_cast<uint16_t>(to[c.c]);
    }
    if (!fixed[out] && !free.empty()) {
      to[out] = free.back();
      free.pop_back();
    } else {
      to[out] = next++;
    }
    c.out = static_cast<uint16_t>(to[out]);
    if (c.primitive == Primitive::constant) continue;
    for (size_t k = 0; k < used.size(); ++k) {
      const uint16_t r = used[k];
      const bool again = std::find(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(k), r) !=
                         used.begin() + static_cast<std::ptrdiff_t>(k);
      if (!fixed[r] && last[r] == i && !again) free.push_back(static_cast<uint16_t>(to[r]));
    }
  }
  for (FusedKernel::Out& o : fused.out) o.reg = static_cast<uint16_t>(to[o.reg]);
  fused.registers = next;
}

}  // namespace

FusedKernel write_fused_kernel(const Program& p, const std::vector<int>& nodes,
                               const std::function<RowsOf(int)>& rows_of, const std::function<bool(int)>& stored) {
  static std::atomic<uint64_t> made = 0;
  FusedKernel fused;
  fused.serial = ++made;
  fused.size = static_cast<uint64_t>(p.node(nodes[0]).shape.size());
  std::map<int, uint16_t> reg;  // per node, once it is known
  for (int n : nodes) reg[n] = 0;

  // Operands from outside the kernel are the first registers.
  std::map<int, uint16_t> outside;
  for (int n : nodes)
    for (int k : p.node(n).in) {
      if (reg.contains(k) || outside.contains(k)) continue;
      if (p.node(k).op != nullptr && p.node(k).space == shared_space) continue;  // a constant
      const FusedKernel::In in{rows_of(k), p.node(k).shape.size() == 1 && fused.size != 1};
      const auto it = std::find_if(fused.in.begin(), fused.in.end(),
                                   [&](const FusedKernel::In& i) { return same(i.rows, in.rows); });
      outside[k] = static_cast<uint16_t>(it - fused.in.begin());
      if (it == fused.in.end()) fused.in.push_back(in);
    }
  fused.registers = static_cast<uint16_t>(fused.in.size());

  std::map<uint32_t, uint16_t> constants;  // by their bits: 0 and -0 differ
  std::vector<Instruction> preset, code;
  auto constant = [&](float value) {
    const auto [it, fresh] = constants.try_emplace(std::bit_cast<uint32_t>(value), fused.registers);
    if (fresh) preset.push_back({Primitive::constant, fused.registers++, 0, 0, 0, value});
    return it->second;
  };
  auto operand = [&](int k) {
    if (const auto it = outside.find(k); it != outside.end()) return it->second;
    const Node& n = p.node(k);
    if (n.space == shared_space) return constant(static_cast<float>(n.op->value(n.attrs, nullptr)));
    return reg.at(k);
  };
  for (int n : nodes) {
    const Node& node = p.node(n);
    const Formula f = node.op->formula(node.attrs);
    std::vector<uint16_t> to(f.registers);
    for (size_t i = 0; i < node.in.size(); ++i) to[i] = operand(node.in[i]);
    bool copies = false;  // a formula that is only a constant needs a copy, so that its result can be stored
    for (const Instruction& c : f.code) {
      if (c.primitive == Primitive::constant) {
        to[c.out] = constant(c.value);
        copies = c.out == f.result;
        continue;
      }
      to[c.out] = fused.registers++;
      code.push_back({c.primitive, to[c.out], to[c.a], to[c.b], to[c.c], 0});
    }
    reg[n] = to[f.result];
    if (copies) {
      code.push_back({Primitive::copy, fused.registers, reg[n], reg[n], reg[n], 0});
      reg[n] = fused.registers++;
    }
    if (stored(n)) fused.out.push_back({rows_of(n), reg[n]});
  }
  fused.code = std::move(preset);
  fused.code.insert(fused.code.end(), code.begin(), code.end());
  reuse_registers(fused);
  return fused;
}

}  // namespace espalier
