#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/smiles/smiles.h>

#include "io/folder.h"
#include "support/data_file.h"
#include "support/error_of.h"

namespace espalier::smiles {
namespace ESPALIER_FILE {

using namespace data;

class Smiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "skipped: built without RDKit";
  }
  static std::string refusal(const std::string& text) {
    return test::error_of([&] { parse(text); });
  }
};

TEST_F(Smiles, ReadsAtoms) {
  // L-alanine: nitrogen, the chiral carbon, its methyl, the acid.
  const Molecule m = parse("N[C@@H](C)C(=O)[O-] ");
  ASSERT_EQ(m.atoms.size(), 6u);
  EXPECT_EQ(m.atoms[0], (Atom{.element = 7, .degree = 1, .hydrogens = 2, .hybridisation = Hybridisation::sp3}));
  EXPECT_EQ(
      m.atoms[1],
      (Atom{
          .element = 6, .degree = 3, .hydrogens = 1, .hybridisation = Hybridisation::sp3, .chirality = Chirality::s}));
  EXPECT_EQ(m.atoms[5], (Atom{.element = 8, .degree = 1, .charge = -1, .hybridisation = Hybridisation::sp2}));
  EXPECT_EQ(parse("N[C@H](C)C(=O)O").atoms[1].chirality, Chirality::r);
  EXPECT_EQ(parse("[CH3]").atoms[0].radicals, 1);
  EXPECT_EQ(parse("[H][H]").atoms.size(), 2u) << "no heavy atom to count them at";
  EXPECT_EQ(parse("[Na+].[Cl-]").atoms.size(), 2u);
}

TEST_F(Smiles, ReadsBonds) {
  const Molecule m = parse("C/C=C/c1ccccc1");
  ASSERT_EQ(m.bonds.size(), 9u);
  EXPECT_EQ(m.bonds[0], (Bond{.ends = {0, 1}, .order = BondOrder::single}));
  EXPECT_EQ(m.bonds[1], (Bond{.ends = {1, 2}, .order = BondOrder::twice, .stereo = BondStereo::e, .conjugated = true}));
  EXPECT_EQ(m.bonds[3], (Bond{.ends = {3, 4}, .order = BondOrder::aromatic, .conjugated = true, .in_ring = true}));
  EXPECT_TRUE(m.atoms[3].aromatic);
  EXPECT_EQ(m.atoms[3].smallest_ring, 6);
  EXPECT_EQ(parse("C/C=C\\C").bonds[1].stereo, BondStereo::z);
  EXPECT_EQ(parse("C#N").bonds[0].order, BondOrder::triple);
  EXPECT_EQ(parse("C1CC12CCC2").atoms[2].smallest_ring, 3) << "of a ring of 3 and one of 4";
}

TEST_F(Smiles, Refuses) {
  EXPECT_EQ(refusal(" \t"), "the SMILES is empty; at least one atom is needed");
  EXPECT_EQ(refusal("CC(O"), "'CC(O' is not a valid molecule");
  EXPECT_EQ(refusal("C C"), "'C C' is not a valid molecule: a SMILES must be printable ASCII without blanks");
  EXPECT_EQ(refusal("CO\xc2\xa0"),
            "'CO\xc2\xa0' is not a valid molecule: a SMILES must be printable ASCII without blanks");
  EXPECT_EQ(refusal("C(C)(C)(C)(C)C"),
            "'C(C)(C)(C)(C)C' is not a valid molecule: Explicit valence for atom # 0 C, 5, is greater than permitted");
  EXPECT_EQ(refusal("c1cc1"), "'c1cc1' is not a valid molecule: Can't kekulize mol.  Unkekulized atoms: 0 1 2");
  EXPECT_EQ(refusal(std::string(10'001, 'C')),
            "'" + std::string(60, 'C') + "…' is not a valid molecule: it has 10001 bytes; at most 10000 are allowed");
}

TEST_F(Smiles, LongMoleculesHaveNoStereochemistry) {
  std::string peptide;
  for (int i = 0; i < 300; ++i) peptide += "N[C@@H](CO)C(=O)";
  const Molecule large = parse(peptide);  // 4,800 bytes
  EXPECT_EQ(large.atoms.size(), 1800u);
  EXPECT_EQ(large.atoms[1].chirality, data::Chirality::none);
  const Molecule small = parse(peptide.substr(0, peptide.size() / 3) + "O");
  EXPECT_EQ(small.atoms.size(), 601u);
  EXPECT_EQ(small.atoms[1].chirality, data::Chirality::s);
}

TEST_F(Smiles, ScaffoldsAreRingsAndTheChainsBetweenThem) {
  EXPECT_EQ(scaffold("CC(=O)Oc1ccccc1C(=O)O"), "c1ccccc1");
  EXPECT_EQ(scaffold("OC(=O)c1ccc(CCC2CC2)cc1Cl"), scaffold("C1CC1CCc2ccc(F)cc2"));
  EXPECT_NE(scaffold("C1CC1CCc1ccccc1"), scaffold("C1CC1Cc1ccccc1"));
  EXPECT_EQ(scaffold("CCO"), "");
  EXPECT_EQ(test::error_of([] { (void)scaffold("CC("); }), "'CC(' is not a valid molecule");
}

TEST_F(Smiles, IsQuiet) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(parse("c1cc1"), DataError);
  EXPECT_THROW(parse("CC("), DataError);
  parse("CC[H]");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Smiles, ReadsInThreads) {
  const Molecule expected = parse("CC(=O)Oc1ccccc1C(=O)O");
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) same += parse("CC(=O)Oc1ccccc1C(=O)O") == expected;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same, 200);
}

TEST_F(Smiles, ReadsTables) {
  const io::Folder folder;
  const std::string path = folder / "t.csv";
  std::ofstream(path) << "name,toxic,logp,smiles\n\"ethanol, pure\",0,,CCO \nbroken,1,2,CC(\nwater,,-1.5,O\n";
  const Examples found = read(path, {{"logp", "toxic"}});
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_EQ(found.rows[0].molecule, parse("CCO"));
  EXPECT_TRUE(std::isnan(found.rows[0].targets[0]));
  EXPECT_EQ(found.rows[0].targets[1], 0);
  EXPECT_EQ(found.rows[1].targets[0], -1.5f);
  EXPECT_EQ(found.refused, std::vector<std::string>{path + ":3:12: 'CC(' is not a valid molecule"});
  EXPECT_EQ(test::error_of([&] { read(path, {{"solubility"}}); }),
            path + ": no column 'solubility'; the table has 'name', 'toxic', 'logp', 'smiles'");
}

// The files of MoleculeNet, if they are installed.
struct File {
  const char* name;
  std::vector<std::string> targets;
  size_t rows, refused, atoms, missing;
};
void PrintTo(const File& f, std::ostream* out) { *out << f.name; }

class PublishedMolecules : public testing::TestWithParam<File> {};

TEST_P(PublishedMolecules, AreRead) {
  const std::string path = test::data_file("molecules/" + std::string(GetParam().name));
  if (!available()) GTEST_SKIP() << "skipped: built without RDKit";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << test::no_data();
  const Examples found = read(path, {GetParam().targets});
  EXPECT_EQ(found.rows.size(), GetParam().rows);
  EXPECT_EQ(found.refused.size(), GetParam().refused);
  size_t atoms = 0, missing = 0;
  for (const Example& e : found.rows) {
    atoms += e.molecule.atoms.size();
    for (const float x : e.targets) missing += std::isnan(x);
  }
  EXPECT_EQ(atoms, GetParam().atoms);
  EXPECT_EQ(missing, GetParam().missing);
}

INSTANTIATE_TEST_SUITE_P(
    Files, PublishedMolecules,
    testing::Values(File{"delaney-processed.csv", {"measured log solubility in mols per litre"}, 1128, 0, 14991, 0},
                    File{"Lipophilicity.csv", {"exp"}, 4200, 0, 113568, 0},
                    File{"BBBP.csv", {"BBBP"}, 2039, 11, 49068, 0},
                    File{"tox21.csv",
                         {"NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma",
                          "SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"},
                         7831,
                         0,
                         145459,
                         16026}));

}  // namespace ESPALIER_FILE
}  // namespace espalier::smiles
