// Embeds atoms and bonds as rows: the input layer of both molecule networks.
#pragma once
#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include <espalier/data/molecule.h>
#include <espalier/espalier.h>

namespace espalier::models {

// Σ_k T_k[value of property k]: equal to a matrix times the concatenated one-hot rows of all properties. All arguments
// are integers, so memoisation runs equal atoms of a minibatch as one call.
struct AtomRow {
  static constexpr int elements = 119;
  Lookup element, degree, charge, hydrogens, ring, hybridisation, chirality, aromatic, radicals;
  Cell<Expr(Index, Index, Index, Index, Index, Index, Index, Index, Index)> cell;

  AtomRow(Scope p, int out)
      : element(p.add_lookup("element", elements, {out}, begin())),
        degree(p.add_lookup("degree", 7, {out}, begin())),
        charge(p.add_lookup("charge", 7, {out}, begin())),
        hydrogens(p.add_lookup("hydrogens", 5, {out}, begin())),
        ring(p.add_lookup("ring", 8, {out}, begin())),
        hybridisation(p.add_lookup("hybridisation", 7, {out}, begin())),
        chirality(p.add_lookup("chirality", 3, {out}, begin())),
        aromatic(p.add_lookup("aromatic", 2, {out}, begin())),
        radicals(p.add_lookup("radicals", 3, {out}, begin())),
        cell(p.cell("atom", {{}, {}, {}, {}, {}, {}, {}, {}, {}},
                    [&](Index e, Index d, Index c, Index h, Index r, Index y, Index x, Index a, Index u) {
                      return lookup(element, e) + lookup(degree, d) + lookup(charge, c) + lookup(hydrogens, h) +
                             lookup(ring, r) + lookup(hybridisation, y) + lookup(chirality, x) + lookup(aromatic, a) +
                             lookup(radicals, u);
                    })) {}

  // Values beyond the end of a table use its last row.
  Expr operator()(Graph& g, const data::Atom& a) const {
    const int size = a.smallest_ring == 0 ? 0 : std::clamp(a.smallest_ring - 2, 1, 7);
    return cell(g, std::min(a.element, elements - 1), std::min(a.degree, 6), std::clamp(a.charge, -3, 3) + 3,
                std::min(a.hydrogens, 4), size, static_cast<int>(a.hybridisation), static_cast<int>(a.chirality),
                static_cast<int>(a.aromatic), std::min(a.radicals, 2));
  }

  static Init begin() { return init::normal(0, 0.3f); }
};

// The row of a bond: a sum of table rows, as for atoms.
struct BondRow {
  Lookup order, stereo, conjugated, ring;
  Cell<Expr(Index, Index, Index, Index)> cell;

  BondRow(Scope p, int out)
      : order(p.add_lookup("order", 5, {out}, AtomRow::begin())),
        stereo(p.add_lookup("stereo", 3, {out}, AtomRow::begin())),
        conjugated(p.add_lookup("conjugated", 2, {out}, AtomRow::begin())),
        ring(p.add_lookup("ring", 2, {out}, AtomRow::begin())),
        cell(p.cell("bond", {{}, {}, {}, {}}, [&](Index o, Index s, Index c, Index r) {
          return lookup(order, o) + lookup(stereo, s) + lookup(conjugated, c) + lookup(ring, r);
        })) {}

  Expr operator()(Graph& g, const data::Bond& b) const {
    return cell(g, static_cast<int>(b.order), static_cast<int>(b.stereo), static_cast<int>(b.conjugated),
                static_cast<int>(b.in_ring));
  }
};

}  // namespace espalier::models
