// Reads molecules from SMILES strings (Weininger 1988) and from tables of them, with RDKit. A separate library,
// espalier::smiles, so other programs do not load RDKit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/molecule.h>

namespace espalier::smiles {

// Whether the library was built with RDKit (Debian: librdkit-dev and libboost-dev). Without RDKit, the functions below
// throw an Error that says so.
ESPALIER_API bool available();

// Parses a SMILES of at most 10,000 bytes; surrounding whitespace is ignored. A molecule of more than 1,000 atoms gets
// no stereochemistry (Chirality::none, BondStereo::none). DataError for invalid syntax or an impossible molecule:
// "'C(C)(C)(C)(C)C' is not a valid molecule: …". Thread-safe.
ESPALIER_API data::Molecule parse(std::string_view smiles);

// The rings of a molecule and the chains between them (Bemis and Murcko 1996) as a canonical SMILES without
// stereochemistry; empty if the molecule has no ring. Molecules with equal scaffolds are similar, so data sets are
// divided by scaffold to test a model on new kinds of molecules. Otherwise as parse().
ESPALIER_API std::string scaffold(std::string_view smiles);

struct Example {
  std::string smiles;
  data::Molecule molecule;
  std::vector<float> targets;  // NaN: missing
};
struct Columns {
  std::vector<std::string> targets;
  std::string smiles = "smiles";
};
struct Examples {
  std::vector<Example> rows;
  std::vector<std::string> refused;  // one message per row with an invalid SMILES: "bbbp.csv:61:3: …"
};

// Reads molecules and targets from a plain or gzip table (espalier/data/table.h). Invalid SMILES are collected in
// `refused`; an error in the table itself is a DataError.
ESPALIER_API Examples read(const std::string& path, const Columns& columns);

}  // namespace espalier::smiles
