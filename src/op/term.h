// Gradients are written in the library's own ops, so that they are fused and batched like anything else. A Term is a
// node of the program under construction; arithmetic on Terms adds nodes to it.
#pragma once
#include <initializer_list>
#include <span>

#include "op/attrs.h"

namespace espalier {

struct OpInfo;

// Whoever builds programs. Nodes are numbered; the component `op` does not know what else a program is.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual int make(const OpInfo& op, Attrs attrs, std::span<const int> inputs) = 0;
  virtual const Shape& shape(int node) const = 0;
  // The row x of the call, repeated over the list that `like` runs over.
  virtual int spread(int x, int like) = 0;
  virtual bool is_parameter(int node) const = 0;
  virtual int site() = 0;  // the next number that tells the random ops of a cell apart
};

namespace op {

struct Term {
  Maker* maker = nullptr;
  int node = -1;
  const Shape& shape() const { return maker->shape(node); }
};

// What a gradient rule is given, and where it puts its result. Input i may be of any space: a rule does not care.
class Adjoint {
 public:
  virtual ~Adjoint() = default;
  virtual const OpInfo& op() const = 0;
  virtual Term in(int i) = 0;  // an operand
  virtual int count() const = 0;
  virtual Term out() = 0;  // the result
  virtual Term dy() = 0;   // the gradient of the result
  virtual bool wants(int i) const = 0;
  // Adds a term of the shape of input i to its gradient. A larger term for a scalar input is summed.
  virtual void add(int i, Term gradient) = 0;
  // The gradient of a shared matrix [m,n] is Σ dy xᵀ over all rows: one product for the minibatch, deferred.
  virtual void add_product(int i, Term dy, Term x) = 0;
  // Row `index` of the table i gets dy; `index` is the op's own integer.
  virtual void add_table(int i, Term dy) = 0;
};

}  // namespace op
}  // namespace espalier
