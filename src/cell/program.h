// A Cell: a small static program of ops over rows, traced once, differentiated once, compiled once. It knows nothing of
// graphs and batches. Immutable once made.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cell/code.h"
#include "op/op.h"
#include "param/slot.h"

namespace espalier {

using detail::Slot;

// A row space: what an op runs over. Parameters and constants have one row that all share.
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
  int limit = 0;    // of the smallest thing it is used for
  std::string who;  // "lookup in words.weight[100,16]"
};

// Gradient of a parameter: contributions of all rows, added up once at the end of the backward pass.
struct Accumulation {
  enum class Kind : uint8_t { product, sum, table };  // Σ dy xᵀ, Σ dy, rows of a table
  Kind kind = Kind::sum;
  int parameter = 0;
  int dy = -1, x = -1;  // nodes; x is the index for a table
};

struct Program {
  std::string name;
  std::vector<Node> nodes;  // operands before what uses them; forward nodes first
  int forward_nodes = 0;
  std::vector<RowInput> rows;
  std::vector<IndexInput> indices;
  int numbers = 0;
  std::vector<int> least_rows;  // per group: how many rows a call must give
  std::vector<std::shared_ptr<Slot>> parameters;
  std::vector<int> outputs;        // nodes, call space
  std::vector<int> row_gradients;  // node per input row, or -1
  std::vector<Accumulation> accumulations;
  bool random = false;

  Code code;

  int groups() const { return static_cast<int>(least_rows.size()); }
  const Shape& output_shape(int k) const { return nodes[static_cast<size_t>(outputs[static_cast<size_t>(k)])].shape; }
  const Node& node(int i) const { return nodes[static_cast<size_t>(i)]; }
};

// The program as text, and back. Parameters are printed by name; parse finds them through `parameters`.
std::string print(const Program& program);
Program parse_program(std::string_view text, const std::vector<std::shared_ptr<Slot>>& parameters);
// What is compared to tell whether two cells are one: everything but the name.
std::string key_of(const Program& program);
// Throws InternalError where an invariant does not hold.
void verify(const Program& program);

}  // namespace espalier
