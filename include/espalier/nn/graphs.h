// Graph neural networks: GraphConvolution over nodes with any number of neighbours, Weave over atoms and their pairs.
#pragma once
#include <array>
#include <span>
#include <vector>

#include <espalier/nn/activation.h>
#include <espalier/nn/linear.h>

namespace espalier::nn {

// Kipf & Welling 2017, eq. 2: h'_v = relu(Σ_u W h_u / √(d_u d_v) + b), over v and its neighbours u; d is the number of
// neighbours plus 1. weight [out, in], bias [out]. Costs one product per node and one addition per edge.
struct ESPALIER_API GraphConvolution {
  Parameter weight, bias;
  Cell<Expr(Expr, Number)> send;                // W h / √d
  Cell<Expr(Expr, Many<Expr>, Number)> gather;  // the node's message, its neighbours' messages, 1 / √d
  GraphConvolution(Scope scope, int in, int out, Activation activation = relu);
  // neighbours[v] lists the neighbours of node v; an undirected edge is in two lists.
  std::vector<Expr> operator()(std::span<const Expr> nodes, std::span<const std::vector<int>> neighbours,
                               ESPALIER_AT) const;
};

// Kearnes et al. 2016, the Weave module, with relu after every matrix; a_i are atoms, p_ij pairs:
//   a'_i  = relu(A [relu(AA a_i); Σ_j relu(PA p_ij)])
//   p'_ij = relu(P [relu(AP [a_i; a_j]) + relu(AP [a_j; a_i]); relu(PP p_ij)])
// Each matrix is a Linear with a bias: AA.weight [hidden, atom], AP.weight [hidden, 2 atom], PA.weight and PP.weight
// [hidden, pair], A.weight and P.weight [out, 2 hidden].
struct ESPALIER_API Weave {
  struct Molecule {
    std::vector<Expr> atoms, pairs;
  };
  Linear AA, PA, AP, PP, A, P;
  Cell<Expr(Expr, Many<Expr>)> atom;  // a_i, all p_ij
  Cell<Expr(Expr, Expr, Expr)> pair;  // a_i, a_j, p_ij
  Weave(Scope scope, int atom_size, int pair_size, int hidden, int out);
  // ends[k] holds the two atoms of pair k.
  Molecule operator()(Graph& g, const Molecule& m, std::span<const std::array<int, 2>> ends, ESPALIER_AT) const;
};

}  // namespace espalier::nn
