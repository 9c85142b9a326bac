// Replaces rdkit.cc in builds without RDKit.
#include <espalier/base/error.h>
#include <espalier/smiles/smiles.h>

namespace espalier::smiles {

bool available() { return false; }

data::Molecule parse(std::string_view) {
  throw Error("SMILES cannot be read: built without RDKit (librdkit-dev, libboost-dev)");
}

}  // namespace espalier::smiles
