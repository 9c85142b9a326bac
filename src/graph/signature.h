// What a call of a cell is made of, as counts and small numbers: what recording checks and planning walks call by call,
// without a look at the program.
#pragma once
#include <cstdint>
#include <vector>

#include "cell/program.h"
#include "op/kernel/indexed.h"

namespace espalier {

struct Signature {
  // Where the values of a row input of the program are, among the arguments of a call.
  struct Input {
    uint32_t arg = 0;    // which argument: a row, or the group that holds it
    uint32_t field = 0;  // of the group's items
    uint32_t shape = 0;  // in GraphTape::shapes
    bool of_group = false;
  };

  uint32_t rows = 0, groups = 0;  // arguments of a call: values, then variadic groups
  bool random = false;
  bool shareable = false;            // given integers and numbers alone, equal ones give equal values; worth a search
  std::vector<Input> inputs;         // one per row input of the program
  std::vector<uint32_t> fields;      // per group: values per item
  std::vector<uint32_t> row_shapes;  // per row of the call, in GraphTape::shapes
  std::vector<uint32_t> output_shapes;  // per output, likewise
  std::vector<int> limits;              // per index: it must be below
  std::vector<uint32_t> data_offsets;   // which indices say where the call's numbers are in GraphTape::data

  // Whether it does more than fill its rows. Rows that are merely filled (a lookup) are better filled again, in the
  // order in which they will be read, than shared and gathered.
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

  // `number_of(shape)` gives shapes their numbers.
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
