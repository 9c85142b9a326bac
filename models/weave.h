// Weave over a molecule (Kearnes et al. 2016): atoms and pairs of atoms have rows, and each module updates both from
// each other. Pairs are at most `distance` bonds apart; the initial row of a pair encodes its distance and its bond.
//
// The readout is the sum, mean and maximum of the atoms after a last layer. The paper uses a histogram of each feature
// instead.
#pragma once
#include <vector>

#include <espalier/data/molecule.h>
#include <espalier/espalier.h>

#include "models/molecule_rows.h"

namespace espalier::models {

struct MoleculeWeave {
  struct Options {
    int hidden = 64, modules = 2, distance = 2, targets = 1;
    float dropout = 0;
  };

  Options options;
  AtomRow atom;
  BondRow bond;
  Lookup apart;                    // one row per distance
  Cell<Expr(Index)> far;           // a pair without a bond
  Cell<Expr(Expr, Index)> bonded;  // a pair with a bond
  std::vector<nn::Weave> modules;
  nn::FC last;
  nn::MLP out;
  Cell<Expr(Many<Expr>)> read;

  MoleculeWeave(Scope p, const Options& o)
      : options(o),
        atom(p / "atom", o.hidden),
        bond(p / "bond", o.hidden),
        apart(p.add_lookup("apart", o.distance + 1, {o.hidden}, AtomRow::begin())),
        far(p.cell("far", {{}}, [&](Index d) { return lookup(apart, d); })),
        bonded(p.cell("bonded", {{o.hidden}, {}}, [&](Expr b, Index d) { return b + lookup(apart, d); })),
        last(p / "last", o.hidden, o.hidden, {.activation = tanh, .layer_norm = true}),
        out(p / "out", {3 * o.hidden, o.hidden, o.targets}, relu, o.dropout) {
    for (int k = 0; k < o.modules; ++k)
      modules.emplace_back(p / std::to_string(k), o.hidden, o.hidden, o.hidden, o.hidden);
    constexpr float usual_atoms = 20;  // brings the sum to the scale of mean and maximum
    read = p.cell("read", {{o.hidden}}, [&](Many<Expr> atoms) {
      const Expr rows = last.cell(Expr(atoms));
      return out(dropout(concat(sum_rows(rows) * (1 / usual_atoms), mean_rows(rows), max_rows(rows)), o.dropout));
    });
  }

  // A row with one element per target: a regression value or a logit.
  Expr operator()(Graph& g, const data::Molecule& m) const {
    nn::Weave::Molecule rows;
    std::vector<std::array<int, 2>> ends;
    for (const data::Atom& a : m.atoms) rows.atoms.push_back(atom(g, a));
    for (const data::AtomPair& pair : data::pairs_within(m, options.distance)) {
      ends.push_back(pair.ends);
      rows.pairs.push_back(pair.bond < 0 ? far(g, pair.distance)
                                         : bonded(bond(g, m.bonds[static_cast<size_t>(pair.bond)]), pair.distance));
    }
    for (const nn::Weave& module : modules) rows = module(g, rows, ends);
    return read(g, rows.atoms);
  }
};

}  // namespace espalier::models
