// A layer over slots: y = tanh(W [rows; numbers; embeddings] + b), in one call for each value.
#pragma once
#include <string_view>

#include "json/slot.h"

namespace espalier::json {

class Layer {
 public:
  using Slots = std::vector<std::unique_ptr<const Slot>>;
  // `name` is that of the cell.
  Layer(Scope scope, std::string_view name, Slots slots, const Making& making);

  const Slot& slot(size_t i) const { return *slots_[i]; }
  Arguments arguments() const;                           // none yet, with room for all
  Expr operator()(Graph& g, Arguments arguments) const;  // after each slot has read, in order

 private:
  Slots slots_;
  size_t rows_ = 0;  // of a call
  std::shared_ptr<const Program> program_;
  Where at_;
};

}  // namespace espalier::json
