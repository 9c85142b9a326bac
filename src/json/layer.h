// Layer: y = tanh(W [rows; numbers; embeddings] + b) over the arguments of several readers, in one call per value.
#pragma once
#include <string_view>

#include "json/argument_reader.h"

namespace espalier::json {

class Layer {
 public:
  using Readers = std::vector<std::unique_ptr<const ArgumentReader>>;
  // `name` is the name of the cell.
  Layer(Scope scope, std::string_view name, Readers readers, const BuildContext& context);

  const ArgumentReader& reader(size_t i) const { return *readers_[i]; }
  // Pops the arguments that the readers pushed since the mark, in order.
  Expr operator()(Graph& g, Arguments& stack, const Arguments::Mark& mark) const;

 private:
  Readers readers_;
  std::shared_ptr<const Program> program_;
  bool joined_ = false;  // there are more rows than a call accepts: they are concatenated first
  bool empty_ = false;   // no arguments
  Where at_;
};

}  // namespace espalier::json
