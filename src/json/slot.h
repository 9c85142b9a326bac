// What a value adds to the call of the layer above it. Numbers, booleans and categories are arguments of that call
// themselves; anything else is a row that was recorded before.
#pragma once
#include <memory>
#include <vector>

#include <espalier/expr/cell.h>
#include "json/schema.h"

namespace espalier::json {

// The arguments of calls under way, in the order in which their cells were traced. A stack: a call takes those from its
// mark on, so that a record is read without an allocation for each of its parts.
struct Arguments {
  struct Mark {
    size_t numbers = 0, indices = 0, rows = 0;
  };
  std::vector<Number> numbers;
  std::vector<Index> indices;
  std::vector<Expr> rows;

  Mark mark() const { return {numbers.size(), indices.size(), rows.size()}; }
  void back_to(const Mark& m) {
    numbers.resize(m.numbers);
    indices.resize(m.indices);
    rows.resize(m.rows);
  }
};

class Slot {
 public:
  virtual ~Slot() = default;
  virtual bool is_row() const { return false; }
  // The elements that its numbers and indices become, appended to `parts`.
  virtual void trace(espalier::detail::Tracing& tracing, std::vector<Expr>& parts) const = 0;
  // The arguments for a value; null: it is missing, which only an optional slot is asked for.
  virtual void read(Graph& g, const Json* x, Arguments& to) const = 0;
};

// A part of a record as a row of `hidden`. It leaves the stack as it was, unless it throws.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual Expr encode(Graph& g, const Json& x, Arguments& stack) const = 0;
};

// What all parts of one model share.
struct Making {
  SchemaOptions options;
  Where at;
};

// Null where the values of a schema are rows.
std::unique_ptr<const Slot> make_leaf_slot(Scope scope, const Schema& schema, bool optional, const Making& making);
std::unique_ptr<const Slot> make_row_slot(std::unique_ptr<const Encoder> encoder, bool optional, const Making& making);

}  // namespace espalier::json
