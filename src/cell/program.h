// A Cell: a small static program of ops over rows, traced, differentiated and compiled once. It is independent of
// graphs and batches, and immutable after compile().
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cell/code.h"
#include "op/op.h"
#include "param/parameter_storage.h"

namespace espalier {

using detail::FullName;
using detail::ParameterStorage;

// A row space: the set of rows that an op runs over. Parameters and constants have one row, shared by all calls.
enum Space : int { shared_space = -1, call_space = 0 };  // 1 + g is the space of variadic group g

struct Node {
  enum class Kind : uint8_t {
    row,        // input row `which` of the program
    index,      // integer `which` of the call
    literal,    // the integer `which` itself
    number,     // number `which` of the call
    parameter,  // parameter `which` of the program
    gradient,   // the gradient of output `which`
    op,
  };
  Kind kind = Kind::op;
  const OpInfo* op = nullptr;
  Attrs attrs;
  std::vector<int> in;
  Shape shape;
  int space = call_space;
  int which = 0;
};

struct RowInput {
  Shape shape;
  int space = call_space;
  std::string name;
};
struct IndexInput {
  int limit = 0;  // exclusive upper bound: the smallest of all ops that read it
  // The op with this limit, and the parameter that it reads, if any: "lookup in ", words.weight, "[100,16]: index".
  std::string op;
  std::shared_ptr<const ParameterStorage> parameter;
  std::string input;

  std::string who() const { return op + (parameter ? str(parameter->name) : "") + input; }
};

// The gradient of a parameter: a sum over all rows, taken once at the end of the backward pass.
struct Accumulation {
  enum class Kind : uint8_t { product, sum, table };  // Σ dy xᵀ; Σ dy; Σ dy per row of a table
  Kind kind = Kind::sum;
  int parameter = 0;
  int dy = -1, x = -1;  // nodes; for a table, x is the index
};

struct Program {
  FullName name;
  std::vector<Node> nodes;  // operands before their users; forward nodes first
  int forward_nodes = 0;
  std::vector<RowInput> rows;
  std::vector<IndexInput> indices;
  int numbers = 0;
  std::vector<int> min_rows;  // per group: the minimum number of items per call
  std::vector<std::shared_ptr<ParameterStorage>> parameters;
  std::vector<int> outputs;        // nodes, call space
  std::vector<int> row_gradients;  // node per input row, or -1
  std::vector<Accumulation> accumulations;
  bool random = false;

  Code code;

  int groups() const { return static_cast<int>(min_rows.size()); }
  const Shape& output_shape(int k) const { return nodes[static_cast<size_t>(outputs[static_cast<size_t>(k)])].shape; }
  const Node& node(int i) const { return nodes[static_cast<size_t>(i)]; }
};

// The program as text, and back. Parameters are printed by name and looked up in `parameters`. parse_program throws
// DataError.
std::string print(const Program& program);
Program parse_program(std::string_view text, const std::vector<std::shared_ptr<ParameterStorage>>& parameters);
// Equal keys mean equal cells. The key holds everything except names.
std::string key_of(const Program& program);
// Throws InternalError if an invariant is violated.
void verify(const Program& program);

}  // namespace espalier
