// Fuzzes tables and the SMILES in them.
#include <sstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/data/molecule.h>
#include <espalier/data/table.h>
#include <espalier/smiles/smiles.h>
#include <espalier/text/lines.h>

#include "support/fuzz_reader.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST(FuzzMolecules, Tables) {
  fuzz({{"a,b,c\n1,\"x, \"\"y\"\"\",\n2.5,\"two\nlines\",z\n", "solubility,smiles\n,O \n"},
        {",", "\"", "\"\"", "\n", "\r\n", "\",\"", " ", "1e999", "nan"},
        [](const std::string& bytes) {
          std::istringstream in(bytes);
          data::Table table(data::Lines(in, "table"));
          while (table.next()) {
            (void)table.number(0);
            for (size_t c = 0; c < table.columns().size(); ++c) ASSERT_LE(table.field(c).size(), bytes.size());
          }
        }});
}

TEST(FuzzMolecules, Smiles) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  fuzz({{"CC(=O)Oc1ccccc1C(=O)O", "N[C@@H](C)C(=O)[O-].[Na+]", "F/C=C/F", "C1CC12CCC2", "c1cc2cccc3ccc(c1)c23",
         "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "[13CH4]", "C%12CCCC%12"},
        {"C",  "c", "(", ")", "[",    "]", "=",    "#", "1", "2", "%10", ".",        "/", "\\", "@",
         "@@", "H", "+", "-", "[nH]", "n", "[Fe]", "*", ">", "|", ":",   "c1ccccc1", "$", "~"},
        [](const std::string& bytes) {
          const data::Molecule m = smiles::parse(bytes);
          ASSERT_FALSE(m.atoms.empty());
          const int atoms = static_cast<int>(m.atoms.size());
          std::vector<int> degrees(m.atoms.size());
          for (const data::Bond& b : m.bonds)
            for (const int end : b.ends) {
              ASSERT_TRUE(end >= 0 && end < atoms);
              ++degrees[static_cast<size_t>(end)];
            }
          for (size_t i = 0; i < m.atoms.size(); ++i) {
            ASSERT_EQ(m.atoms[i].degree, degrees[i]);
            ASSERT_LE(m.atoms[i].smallest_ring, atoms);
          }
        },
        false,
        200'000'000});  // RDKit allocates several matrices over all pairs of up to a thousand atoms
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
