#include <espalier/nn/tree/bidirectional_tree_lstm.h>

#include <string>

namespace espalier::nn {

namespace {

void check(std::span<const Expr> xs, std::span<const int> parents, Where at) {
  if (xs.size() != parents.size())
    throw IndexError("BidirectionalTreeLSTM: " + std::to_string(xs.size()) + " rows and " +
                     std::to_string(parents.size()) + " parents are given; each node needs both" + str(at));
  for (size_t i = 0; i < parents.size(); ++i)
    if (parents[i] != -1 && (parents[i] <= static_cast<int>(i) || parents[i] >= static_cast<int>(xs.size())))
      throw IndexError("BidirectionalTreeLSTM: the parent of node " + std::to_string(i) + " is " +
                       std::to_string(parents[i]) + "; it must be -1 or a later node below " +
                       std::to_string(xs.size()) + str(at));
}

}  // namespace

BidirectionalTreeLSTM::BidirectionalTreeLSTM(Scope p, int in, int hidden)
    : up(p / "up", in, hidden), down(p / "down", in, hidden) {}

std::vector<Expr> BidirectionalTreeLSTM::operator()(Graph& g, std::span<const Expr> xs, std::span<const int> parents,
                                                    Where at) const {
  check(xs, parents, at);
  const size_t n = xs.size();
  std::vector<std::vector<State>> kids(n);
  std::vector<State> upward(n), downward(n);
  for (size_t i = 0; i < n; ++i) {
    upward[i] = up.node(g, xs[i], kids[i], at);
    if (parents[i] >= 0) kids[static_cast<size_t>(parents[i])].push_back(upward[i]);
  }
  std::vector<Expr> both(n);
  for (size_t i = n; i-- > 0;) {
    downward[i] = down(xs[i], parents[i] < 0 ? State{} : downward[static_cast<size_t>(parents[i])], at);
    both[i] = concat(Operand(upward[i].h, at), Operand(downward[i].h, at));
  }
  return both;
}

}  // namespace espalier::nn
