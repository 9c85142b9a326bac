// Builds tapes by hand: cells with a given signature, and calls of them. All rows are [2].
#pragma once
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cell/builder.h"
#include "cell/passes.h"
#include "graph/tape.h"
#include "op/elementwise.h"
#include "op/kernel/rows.h"

namespace espalier {

struct Recording {
  GraphTape tape;
  using Values = std::vector<uint32_t>;

  // A cell with `rows` row inputs, and a group for each element of `groups`: its rows per item. Outputs read all rows.
  uint32_t cell(const std::string& name, int rows, int outputs = 1, const std::vector<int>& groups = {}) {
    Program program;
    program.name = name;
    Builder b(program);
    const op::FullAttrs half{{2}, 0.5f};
    int sum = b.make(info<op::Mul>(), {}, std::array{b.make(info<op::Full>(), erase(half), {}), b.number()});
    const auto add = [&](int x) { sum = b.make(info<op::Add>(), {}, std::array{sum, x}); };
    for (int j = 0; j < rows; ++j) add(b.row({2}, call_space, "x" + std::to_string(j)));
    for (const int fields : groups) {
      const int space = 1 + b.group();
      for (int f = 0; f < fields; ++f)
        add(b.make(info<op::SumRows>(), {}, std::array{b.row({2}, space, "r" + std::to_string(f))}));
    }
    for (int k = 0; k < outputs; ++k)
      program.outputs.push_back(sum = b.make(info<op::Mul>(), {}, std::array{sum, sum}));
    compile(program);
    return tape.cell_number(std::make_shared<const Program>(std::move(program)));
  }

  // A group of `count` items. `items`: `count` values per field, field by field.
  uint32_t group(uint32_t count, const Values& items) {
    tape.groups.push_back({static_cast<uint32_t>(tape.items.size()), count});
    tape.items.insert(tape.items.end(), items.begin(), items.end());
    return static_cast<uint32_t>(tape.groups.size()) - 1;
  }

  // Returns the call's first value; the others follow.
  uint32_t call(uint32_t cell, const Values& rows = {}, const Values& groups = {}) {
    const auto first_arg = static_cast<uint32_t>(tape.args.size()), first_int = static_cast<uint32_t>(tape.ints.size());
    tape.args.insert(tape.args.end(), rows.begin(), rows.end());
    tape.args.insert(tape.args.end(), groups.begin(), groups.end());
    tape.ints.push_back(0);  // the call's number argument: 0
    return tape.add_call(cell, first_arg, first_int);
  }

  // The number of edges on the longest path.
  uint32_t height() const {
    std::vector<uint32_t> depth(tape.calls());
    for (uint32_t c = 0; c < tape.calls(); ++c)
      tape.each_argument(c, [&](uint32_t v) { depth[c] = std::max(depth[c], depth[tape.value[v].call] + 1); });
    return *std::max_element(depth.begin(), depth.end());
  }

  Values all() const {
    Values calls(tape.calls());
    std::iota(calls.begin(), calls.end(), 0u);
    return calls;
  }
};

// A recurrence over rows, with a separate cell for the initial state.
struct Lstm {
  uint32_t start, cell;
  Lstm(Recording& r, const std::string& name) : start(r.cell(name + ".start", 0, 2)), cell(r.cell(name, 3, 2)) {}
  // Returns the first output of each step; `backwards` starts at the end.
  Recording::Values run(Recording& r, const Recording::Values& xs, bool backwards = false) const {
    Recording::Values hs(xs.size());
    uint32_t h = r.call(start);
    for (size_t i = 0; i < xs.size(); ++i) {
      const size_t at = backwards ? xs.size() - 1 - i : i;
      hs[at] = h = r.call(cell, {xs[at], h, h + 1});
    }
    return hs;
  }
};

}  // namespace espalier
