// Signature: counts and ids of a cell's arguments and results. Recording and planning read it for every call, so that
// they need not inspect the program.
#pragma once
#include <cstdint>
#include <vector>

#include "cell/program.h"
#include "op/kernel/indexed.h"

namespace espalier {

struct Signature {
  // The position of a program's row input among the arguments of a call.
  struct Input {
    uint32_t arg = 0;    // index of the argument: a row, or the group that contains it
    uint32_t field = 0;  // field of the group's items
    uint32_t shape = 0;  // in GraphTape::shapes
    bool of_group = false;
  };

  uint32_t rows = 0, groups = 0;  // arguments of a call: values, then variadic groups
  bool random = false;
  bool shareable = false;               // depends only on integers and floats, and is worth memoising
  std::vector<Input> inputs;            // one per row input of the program
  std::vector<uint32_t> fields;         // per group: values per item
  std::vector<uint32_t> row_shapes;     // per row of the call, in GraphTape::shapes
  std::vector<uint32_t> output_shapes;  // per output, in GraphTape::shapes
  std::vector<int> limits;              // per index: exclusive upper bound
  std::vector<uint32_t> data_offsets;   // the indices that hold offsets into GraphTape::data

  // Whether the program does more than copy. Copied rows (a lookup) are cheaper to copy again, in the order in which
  // they will be read, than to share and gather.
  static bool computes(const Program& p) {
    double work = 0, elements = 0;
    std::vector<Shape> in;
    for (int i = 0; i < p.forward_nodes; ++i) {
      const Node& n = p.node(i);
      if (n.kind != Node::Kind::op) continue;
      in.clear();
      for (const int x : n.in) in.push_back(p.node(x).shape);
      work += n.op->flops(n.attrs, in, n.shape);
    }
    for (size_t k = 0; k < p.outputs.size(); ++k)
      elements += static_cast<double>(p.output_shape(static_cast<int>(k)).size());
    return work >= 4 * elements;
  }

  // number_of(shape) returns the index of a shape in GraphTape::shapes.
  template <class NumberOf>
  Signature(const Program& p, NumberOf&& number_of)
      : groups(static_cast<uint32_t>(p.groups())), random(p.random), fields(static_cast<size_t>(p.groups())) {
    for (const RowInput& in : p.rows)
      if (in.space == call_space) row_shapes.push_back(number_of(in.shape));
    rows = static_cast<uint32_t>(row_shapes.size());
    uint32_t row = 0;
    for (const RowInput& in : p.rows) {
      if (in.space == call_space) {
        inputs.push_back({row++, 0, number_of(in.shape), false});
      } else {
        const auto group = static_cast<uint32_t>(in.space - 1);
        inputs.push_back({rows + group, fields[group]++, number_of(in.shape), true});
      }
    }
    for (size_t k = 0; k < p.outputs.size(); ++k)
      output_shapes.push_back(number_of(p.output_shape(static_cast<int>(k))));
    for (const IndexInput& in : p.indices) limits.push_back(in.limit);
    for (int i = 0; i < p.forward_nodes; ++i)
      if (p.node(i).op == &info<op::InputRow>())
        data_offsets.push_back(static_cast<uint32_t>(p.node(p.node(i).in[0]).which));
    shareable = p.rows.empty() && groups == 0 && !random && computes(p);
  }
};

}  // namespace espalier
