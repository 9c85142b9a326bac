// Base of recurrent modules: r(x, state) returns the next state, r(x) the first one. A state is a small struct of
// Exprs; copying it forks the sequence and costs nothing until the copies read different inputs.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include <espalier/expr/cell.h>

namespace espalier::nn {

struct State {
  Expr h, c;
};

// The part of a state that the next layer reads. For a state of several layers, that of the last layer.
inline Expr output(Expr h) { return h; }
inline Expr output(const State& s) { return s.h; }
template <class S>
Expr output(const std::vector<S>& layers) {
  return output(layers.back());
}

template <class Module>
using StateOf = decltype(std::declval<const Module&>()(Expr()));

// run() over a whole sequence. The sequences of a batch run in parallel, in as many steps as the longest one has.
template <class Self>
struct Recurrent {
  std::vector<Expr> run(std::span<const Expr> xs, ESPALIER_AT) const {  // h of every step
    std::vector<Expr> hs;
    hs.reserve(xs.size());
    StateOf<Self> s{};
    for (Expr x : xs) {
      s = static_cast<const Self&>(*this)(x, s, at);
      hs.push_back(output(s));
    }
    return hs;
  }
};

}  // namespace espalier::nn
