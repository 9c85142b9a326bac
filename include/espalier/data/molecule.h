// Molecules as graphs of atoms and bonds: what chemistry says about each, as small integers. How they are read from
// SMILES is not known here (espalier/smiles/smiles.h).
#pragma once

#include <array>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data {

enum class Hybridisation { other, s, sp, sp2, sp3, sp3d, sp3d2 };
enum class Chirality { none, r, s };                              // by the rules of Cahn, Ingold and Prelog
enum class BondOrder { other, single, twice, triple, aromatic };  // `double` is a word of C++
enum class BondStereo { none, z, e };

// Hydrogens are counted at their heavy atom; only those that cannot be are atoms ([H][H]).
struct Atom {
  int element = 0;        // its number in the periodic table; 0: any (*)
  int degree = 0;         // bonds to other atoms of the molecule
  int charge = 0;         // formal
  int hydrogens = 0;      // bound to it and no atoms of the molecule
  int radicals = 0;       // unpaired electrons
  int smallest_ring = 0;  // how many atoms it has; 0: the atom is in no ring
  Hybridisation hybridisation = Hybridisation::other;
  Chirality chirality = Chirality::none;
  bool aromatic = false;
  bool operator==(const Atom&) const = default;
};

struct Bond {
  std::array<int, 2> ends{};  // atoms
  BondOrder order = BondOrder::other;
  BondStereo stereo = BondStereo::none;
  bool conjugated = false, in_ring = false;
  bool operator==(const Bond&) const = default;
};

struct Molecule {
  std::vector<Atom> atoms;  // at least one; salts and mixtures are one molecule of several parts
  std::vector<Bond> bonds;
  bool operator==(const Molecule&) const = default;

  // The bonds of each atom, by number.
  ESPALIER_API std::vector<std::vector<int>> bonds_of_atoms() const;
};

// Two atoms and the way between them.
struct AtomPair {
  std::array<int, 2> ends{};  // ends[0] < ends[1]
  int distance = 0;           // bonds on the shortest way
  int bond = -1;              // the bond between them, if they have one
  bool operator==(const AtomPair&) const = default;
};

// All pairs that are at most `distance` bonds apart, by their ends in order. O(pairs · degree).
ESPALIER_API std::vector<AtomPair> pairs_within(const Molecule& molecule, int distance);

}  // namespace espalier::data
