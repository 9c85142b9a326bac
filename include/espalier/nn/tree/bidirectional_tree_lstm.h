// A Tree-LSTM in both directions.
#pragma once
#include <espalier/nn/recurrent/lstm.h>
#include <espalier/nn/tree/tree_lstm.h>

namespace espalier::nn {

// Miwa & Bansal 2016, dependency layer: leaves to root, then root to leaves, so that each node sees the whole tree.
// Upwards a Child-Sum Tree-LSTM; downwards an LSTM along every path from the root, where each node reads its x and the
// state of its parent. Parameters are up.W, …, down.weight_ih, …
struct ESPALIER_API BidirectionalTreeLSTM {
  ChildSumTreeLSTM up;
  LSTM down;
  BidirectionalTreeLSTM(Scope scope, int in, int hidden);
  // [up; down] of every node. parents[i] is the parent of node i, or -1 for a root; children come before their parents.
  std::vector<Expr> operator()(Graph& g, std::span<const Expr> xs, std::span<const int> parents, ESPALIER_AT) const;
};

}  // namespace espalier::nn
