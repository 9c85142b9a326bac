// ArgumentReader: converts a JSON value to arguments of the enclosing layer's call. Numbers, booleans and categories
// are passed directly; any other value is recorded first and passed as a row.
#pragma once
#include <memory>
#include <vector>

#include <espalier/expr/cell.h>
#include "json/schema.h"

namespace espalier::json {

// A stack of the arguments of pending calls, in the order in which their cells were traced. A call pops the arguments
// above its mark, so reading a record does not allocate per value.
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

class ArgumentReader {
 public:
  virtual ~ArgumentReader() = default;
  virtual bool is_row() const { return false; }
  // Traces its number and index arguments, and appends their rows to `parts`.
  virtual void trace(espalier::detail::Tracing& tracing, std::vector<Expr>& parts) const = 0;
  // Pushes the arguments for a value. A null pointer, for a missing or null value, is passed only to optional readers.
  virtual void read(Graph& g, const Json* x, Arguments& to) const = 0;
};

// Encodes a value of a record as a row of `hidden` elements. encode() leaves the stack as it was, unless it throws.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual Expr encode(Graph& g, const Json& x, Arguments& stack) const = 0;
};

// Shared by all readers and encoders of one model.
struct BuildContext {
  SchemaOptions options;
  Where at;
};

// A reader of numbers and categories. Returns null if the values of the schema must be encoded and passed as rows.
std::unique_ptr<const ArgumentReader> make_leaf_reader(Scope scope, const Schema& schema, bool optional,
                                                       const BuildContext& context);
std::unique_ptr<const ArgumentReader> make_row_reader(std::unique_ptr<const Encoder> encoder, bool optional,
                                                      const BuildContext& context);

}  // namespace espalier::json
