// Molecules from SMILES (Weininger 1988), one or a table of them, by RDKit. A library of its own, espalier::smiles: who
// reads no molecules does not load RDKit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/molecule.h>

namespace espalier::smiles {

// Whether there was an RDKit to build with (Debian: librdkit-dev and libboost-dev). Without it, parse and read are an
// Error that says so.
ESPALIER_API bool available();

// A SMILES of at most 1,000 bytes; blanks around it do not count. DataError where it is none, or is of no possible
// molecule: "'C(C)(C)(C)(C)C' is no molecule: …". Any number of threads.
ESPALIER_API data::Molecule parse(std::string_view smiles);

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
  std::vector<std::string> refused;  // for each row whose SMILES is no molecule: "bbbp.csv:61:3: …"
};

// The molecules of a table (espalier/data/table.h), plain or gzip, and their targets. DataError for all that is wrong
// with the table itself.
ESPALIER_API Examples read(const std::string& path, const Columns& columns);

}  // namespace espalier::smiles
