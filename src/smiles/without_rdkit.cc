// Replaces rdkit.cc in builds without RDKit.
#include <espalier/base/error.h>
#include <espalier/smiles/smiles.h>

namespace espalier::smiles {

bool available() { return false; }

namespace {
[[noreturn]] void refuse() { throw Error("SMILES cannot be read: built without RDKit (librdkit-dev, libboost-dev)"); }
}  // namespace

data::Molecule parse(std::string_view) { refuse(); }

std::string scaffold(std::string_view) { refuse(); }

}  // namespace espalier::smiles
