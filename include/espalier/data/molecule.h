// Molecules as graphs: the chemical features of atoms and bonds as small integers. espalier/smiles/smiles.h reads them
// from SMILES.
#pragma once

#include <array>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data {

enum class Hybridisation { other, s, sp, sp2, sp3, sp3d, sp3d2 };
enum class Chirality { none, r, s };                              // Cahn-Ingold-Prelog rules
enum class BondOrder { other, single, twice, triple, aromatic };  // twice: a double bond (`double` is a keyword)
enum class BondStereo { none, z, e };

// Hydrogens are counted in their heavy atom. Only hydrogens without a heavy atom are atoms themselves ([H][H]).
struct Atom {
  int element = 0;        // atomic number; 0: any element (*)
  int degree = 0;         // bonds to other atoms of the molecule
  int charge = 0;         // formal charge
  int hydrogens = 0;      // bound hydrogens that are not in `atoms`
  int radicals = 0;       // unpaired electrons
  int smallest_ring = 0;  // size of the smallest ring with this atom; 0: not in a ring
  Hybridisation hybridisation = Hybridisation::other;
  Chirality chirality = Chirality::none;
  bool aromatic = false;
  bool operator==(const Atom&) const = default;
};

struct Bond {
  std::array<int, 2> ends{};  // indices of atoms
  BondOrder order = BondOrder::other;
  BondStereo stereo = BondStereo::none;
  bool conjugated = false, in_ring = false;
  bool operator==(const Bond&) const = default;
};

struct Molecule {
  std::vector<Atom> atoms;  // at least one; a salt or a mixture is one disconnected molecule
  std::vector<Bond> bonds;
  bool operator==(const Molecule&) const = default;

  // For each atom, the indices of its bonds.
  ESPALIER_API std::vector<std::vector<int>> bonds_of_atoms() const;
};

// Two atoms and the distance between them.
struct AtomPair {
  std::array<int, 2> ends{};  // ends[0] < ends[1]
  int distance = 0;           // bonds on the shortest path
  int bond = -1;              // index of the bond between them; -1: none
  bool operator==(const AtomPair&) const = default;
};

// All pairs at most `distance` bonds apart, sorted by their ends. O(pairs · degree).
ESPALIER_API std::vector<AtomPair> pairs_within(const Molecule& molecule, int distance);

}  // namespace espalier::data
