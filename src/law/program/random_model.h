// RandomModel: the parameters, cells and ops of random programs; records a random program.
#pragma once
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/nn/modules.h>
#include <espalier/param/parameters.h>
#include "law/program/random_program.h"

namespace espalier::law {

struct Key {
  Expr value, projected;
};
struct Pair {
  Expr vector, scalar;
};

struct Recorded {
  std::vector<Expr> outputs;
  Expr loss;
  Expr leaf, word;  // values to watch: an input, and a value looked up by an integer (or the same input)
};

class RandomModel {
 public:
  explicit RandomModel(uint64_t numbers);

  Parameters params;

  // Records one example. The values depend only on the lines, the seed and the example number.
  Recorded record(Graph& g, const std::vector<Line>& lines, uint64_t example) const;

 private:
  class Interpreter;

  uint64_t numbers_;
  Lookup words_, wide_, tied_;
  Parameter square_, down_, up_, bias6_, bias4_, scalar_, frozen_;
  nn::LSTM lstm_;
  nn::TreeLSTM tree_;
  nn::ChildSumTreeLSTM child_sum_;
  nn::Linear linear_;
  Cell<Expr(Expr, Many<Key>)> attend_;
  Cell<Expr(Many<Expr>)> mean_, max_;
  Cell<Expr(Many<Expr>, Many<Expr>)> two_lists_;
  Cell<Pair(Expr, Index, Number)> labelled_;
  Cell<Expr(Expr)> dropped_, identity_, nested_;
  Cell<std::array<Expr, 3>(Expr)> trivial_;
  Cell<Expr(Index)> word_;
};

}  // namespace espalier::law
