// SMILES parsing with RDKit. No other file includes RDKit.
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include <espalier/base/error.h>
#include <espalier/smiles/smiles.h>

namespace espalier::smiles {
namespace {

using data::Atom, data::Bond, data::BondOrder, data::BondStereo, data::Chirality, data::Hybridisation, data::Molecule;

// RDKit's time for stereochemistry is cubic in the number of chiral atoms: 0.4 s for 1,300 atoms of a peptide. Its time
// for rings is quadratic: 0.3 s for 3,500 aromatic atoms, 3 s for the longest SMILES.
constexpr size_t longest = 10'000;       // bytes of a SMILES
constexpr unsigned most_stereo = 1'000;  // atoms of a molecule whose stereochemistry is assigned

[[noreturn]] void refuse(std::string_view smiles, const std::string& why) {
  constexpr size_t most = 60;
  throw DataError("'" + std::string(smiles.substr(0, most)) + (smiles.size() > most ? "…'" : "'") +
                  " is not a valid molecule" + why);
}

Hybridisation hybridisation(const RDKit::Atom& a) {
  switch (a.getHybridization()) {
    case RDKit::Atom::S:
      return Hybridisation::s;
    case RDKit::Atom::SP:
      return Hybridisation::sp;
    case RDKit::Atom::SP2:
      return Hybridisation::sp2;
    case RDKit::Atom::SP3:
      return Hybridisation::sp3;
    case RDKit::Atom::SP3D:
      return Hybridisation::sp3d;
    case RDKit::Atom::SP3D2:
      return Hybridisation::sp3d2;
    default:
      return Hybridisation::other;
  }
}

Chirality chirality(const RDKit::Atom& a) {
  std::string code;
  if (!a.getPropIfPresent(RDKit::common_properties::_CIPCode, code)) return Chirality::none;
  return code == "R" ? Chirality::r : code == "S" ? Chirality::s : Chirality::none;
}

BondOrder order(const RDKit::Bond& b) {
  switch (b.getBondType()) {
    case RDKit::Bond::SINGLE:
      return BondOrder::single;
    case RDKit::Bond::DOUBLE:
      return BondOrder::twice;
    case RDKit::Bond::TRIPLE:
      return BondOrder::triple;
    case RDKit::Bond::AROMATIC:
      return BondOrder::aromatic;
    default:
      return BondOrder::other;
  }
}

BondStereo stereo(const RDKit::Bond& b) {
  switch (b.getStereo()) {
    case RDKit::Bond::STEREOZ:
    case RDKit::Bond::STEREOCIS:
      return BondStereo::z;
    case RDKit::Bond::STEREOE:
    case RDKit::Bond::STEREOTRANS:
      return BondStereo::e;
    default:
      return BondStereo::none;
  }
}

Molecule plain(const RDKit::ROMol& m) {
  const RDKit::RingInfo& rings = *m.getRingInfo();
  Molecule plain;
  for (const RDKit::Atom* a : m.atoms())
    plain.atoms.push_back({.element = a->getAtomicNum(),
                           .degree = static_cast<int>(a->getDegree()),
                           .charge = a->getFormalCharge(),
                           .hydrogens = static_cast<int>(a->getTotalNumHs()),
                           .radicals = static_cast<int>(a->getNumRadicalElectrons()),
                           .smallest_ring = static_cast<int>(rings.minAtomRingSize(a->getIdx())),
                           .hybridisation = hybridisation(*a),
                           .chirality = chirality(*a),
                           .aromatic = a->getIsAromatic()});
  for (const RDKit::Bond* b : m.bonds())
    plain.bonds.push_back({.ends = {static_cast<int>(b->getBeginAtomIdx()), static_cast<int>(b->getEndAtomIdx())},
                           .order = order(*b),
                           .stereo = stereo(*b),
                           .conjugated = b->getIsConjugated(),
                           .in_ring = rings.numBondRings(b->getIdx()) > 0});
  return plain;
}

// Disables RDKit's logging to stderr for the whole process.
void silence() { [[maybe_unused]] static const bool done = (boost::logging::disable_logs("rdApp.*"), true); }

}  // namespace

bool available() { return true; }

namespace {

// The molecule without explicit hydrogens. DataError: the SMILES is invalid.
std::unique_ptr<RDKit::RWMol> read_molecule(std::string_view text) {
  std::string_view smiles = text;
  const size_t first = smiles.find_first_not_of(" \t\r");
  smiles = first == std::string_view::npos ? "" : smiles.substr(first, smiles.find_last_not_of(" \t\r") + 1 - first);
  if (smiles.empty()) throw DataError("the SMILES is empty; at least one atom is needed");
  if (smiles.size() > longest)
    refuse(smiles,
           ": it has " + std::to_string(smiles.size()) + " bytes; at most " + std::to_string(longest) + " are allowed");
  for (const char c : smiles)
    if (c <= ' ' || c > '~') refuse(smiles, ": a SMILES must be printable ASCII without blanks");
  silence();
  RDKit::SmilesParserParams how;
  how.allowCXSMILES = how.parseName = how.sanitize = how.removeHs = false;
  std::string why;
  try {
    std::unique_ptr<RDKit::RWMol> m(RDKit::SmilesToMol(std::string(smiles), how));
    if (m && m->getNumAtoms() > 0) {
      RDKit::MolOps::removeHs(*m);  // sanitizes, too
      if (m->getNumAtoms() <= most_stereo) RDKit::MolOps::assignStereochemistry(*m, true);
      return m;
    }
  } catch (const std::exception& e) {
    why = std::string(": ") + e.what();
  }
  while (why.ends_with('\n')) why.pop_back();
  refuse(smiles, why);
}

}  // namespace

Molecule parse(std::string_view smiles) { return plain(*read_molecule(smiles)); }

std::string scaffold(std::string_view smiles) {
  const std::unique_ptr<RDKit::RWMol> m = read_molecule(smiles);
  const std::unique_ptr<RDKit::ROMol> rings(RDKit::MurckoDecompose(*m));
  return rings && rings->getNumAtoms() > 0 ? RDKit::MolToSmiles(*rings, false) : "";
}

}  // namespace espalier::smiles
