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
  // Takes what the slots read since the mark, in order.
  Expr operator()(Graph& g, Arguments& stack, const Arguments::Mark& mark) const;

 private:
  Slots slots_;
  std::shared_ptr<const Program> program_;
  bool joined_ = false;  // more rows than a call takes are joined before it
  bool empty_ = false;   // there is nothing to take
  Where at_;
};

}  // namespace espalier::json
