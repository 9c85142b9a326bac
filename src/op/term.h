// Gradients are written with the library's own ops, so they are fused and batched like any other op. A Term is a node
// of the program under construction; arithmetic on Terms adds nodes to it.
#pragma once
#include <initializer_list>
#include <span>

#include "op/attrs.h"

namespace espalier {

struct OpInfo;

// The builder of a program, as seen by ops: nodes are numbered, and nothing else about a program is known here.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual int make(const OpInfo& op, Attrs attrs, std::span<const int> inputs) = 0;
  virtual const Shape& shape(int node) const = 0;
  // The row x of the call, repeated for each row of the list that `like` ranges over.
  virtual int spread(int x, int like) = 0;
  virtual bool is_parameter(int node) const = 0;
  virtual int site() = 0;  // a new number that identifies a random op within a cell
};

namespace op {

struct Term {
  Maker* maker = nullptr;
  int node = -1;
  const Shape& shape() const { return maker->shape(node); }
};

// The inputs and outputs of a gradient rule. Input i may be in any row space.
class Adjoint {
 public:
  virtual ~Adjoint() = default;
  virtual const OpInfo& op() const = 0;
  virtual Term in(int i) = 0;  // an operand
  virtual int count() const = 0;
  virtual Term out() = 0;  // the result
  virtual Term dy() = 0;   // the gradient of the result
  virtual bool wants(int i) const = 0;
  // Adds a term with the shape of input i to its gradient. For a scalar input, a larger term is summed first.
  virtual void add(int i, Term gradient) = 0;
  // Adds Σ dy xᵀ over all rows to the gradient of a shared matrix [m,n]: one deferred product per minibatch.
  virtual void add_product(int i, Term dy, Term x) = 0;
  // Adds dy to row `index` of the gradient of table i; `index` is the op's integer input.
  virtual void add_table(int i, Term dy) = 0;
};

}  // namespace op
}  // namespace espalier
