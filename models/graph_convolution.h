// A graph convolution over a molecule: in each layer an atom sums the messages of its neighbours.
//
// A message combines a neighbour and its bond as in Hu et al. 2020 (Duvenaud et al. 2015 were the first to sum, over
// concatenated atoms and bonds). Each atom is then updated by two matrices, which distinguish more graphs than one (Xu
// et al. 2019), with a residual connection (He et al. 2016):
//   m_v  = h_v + Σ_u relu(h_u + e_uv)
//   h'_v = h_v + W relu(N(V m_v))
// N is layer normalisation. An MLP reads the sum, mean and maximum of the atoms.
#pragma once
#include <vector>

#include <espalier/data/molecule.h>
#include <espalier/espalier.h>

#include "models/molecule_rows.h"

namespace espalier::models {

struct MoleculeGraphConvolution {
  struct Options {
    int hidden = 128, layers = 4, targets = 1;
    float dropout = 0;
  };
  struct Neighbour {
    Expr atom, bond;
  };
  struct Layer {
    BondRow bond;
    nn::Linear V, W;
    nn::LayerNorm norm;
    Cell<Expr(Expr, Many<Neighbour>)> atom;

    Layer(Scope p, const Options& o)
        : bond(p / "bond", o.hidden),
          V(p / "V", o.hidden, o.hidden),
          W(p / "W", o.hidden, o.hidden),
          norm(p / "norm", o.hidden),
          atom(p.cell("convolve", {{o.hidden}, {o.hidden}}, [&](Expr h, Many<Neighbour> near) {
            const Expr message = h + sum_rows(relu(near[&Neighbour::atom] + near[&Neighbour::bond]));
            return h + dropout(W(relu(norm(V(message)))), o.dropout);
          })) {}
  };

  Options options;
  AtomRow atom;
  std::vector<Layer> layers;
  nn::MLP out;
  Cell<Expr(Many<Expr>)> read;

  MoleculeGraphConvolution(Scope p, const Options& o)
      : options(o), atom(p / "atom", o.hidden), out(p / "out", {3 * o.hidden, o.hidden, o.targets}, relu, o.dropout) {
    for (int k = 0; k < o.layers; ++k) layers.emplace_back(p / std::to_string(k), o);
    constexpr float usual_atoms = 20;  // brings the sum to the scale of mean and maximum
    read = p.cell("read", {{o.hidden}}, [&](Many<Expr> atoms) {
      const Expr rows(atoms);
      return out(dropout(concat(sum_rows(rows) * (1 / usual_atoms), mean_rows(rows), max_rows(rows)), o.dropout));
    });
  }

  // A row with one element per target: a regression value or a logit.
  Expr operator()(Graph& g, const data::Molecule& m) const {
    const auto bonds_of = m.bonds_of_atoms();
    std::vector<Expr> atoms, next, bonds;
    for (const data::Atom& a : m.atoms) atoms.push_back(atom(g, a));
    std::vector<Neighbour> near;
    for (const Layer& layer : layers) {
      bonds.clear();
      for (const data::Bond& b : m.bonds) bonds.push_back(layer.bond(g, b));
      next.clear();
      for (size_t v = 0; v < atoms.size(); ++v) {
        near.clear();
        for (const int b : bonds_of[v]) {
          const auto& ends = m.bonds[static_cast<size_t>(b)].ends;
          const int u = ends[0] == static_cast<int>(v) ? ends[1] : ends[0];
          near.push_back({atoms[static_cast<size_t>(u)], bonds[static_cast<size_t>(b)]});
        }
        next.push_back(layer.atom(g, atoms[v], near));
      }
      atoms.swap(next);
    }
    return read(g, atoms);
  }
};

}  // namespace espalier::models
