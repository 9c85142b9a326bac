// Molecules by graph convolution and Weave, on a synthetic table: the number of oxygens, and whether there is a ring.
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <espalier/smiles/smiles.h>

#include "models/trained_task.h"
#include "support/error_of.h"
#include "tasks/metrics/roc_auc.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

// A folder with the table of a task, with the published column names.
class Tables {
 public:
  Tables() {
    std::filesystem::create_directories(folder_ + "/molecules");
    std::mt19937 random(3);
    std::ofstream esol(folder_ + "/molecules/delaney-processed.csv"), bbbp(folder_ + "/molecules/BBBP.csv"),
        tox21(folder_ + "/molecules/tox21.csv");
    esol << "measured log solubility in mols per litre,smiles\n";
    bbbp << "BBBP,smiles\n1,not a molecule\n";
    tox21 << "NR-AR,NR-AR-LBD,NR-AhR,NR-Aromatase,NR-ER,NR-ER-LBD,NR-PPAR-gamma,SR-ARE,SR-ATAD5,SR-HSE,SR-MMP,SR-p53,"
             "smiles\n";
    for (int i = 0; i < 300; ++i) {
      int oxygens = 0;
      std::string chain = "C";
      for (uint32_t k = 1 + random() % 6; k > 0; --k) {
        const bool oxygen = random() % 3 == 0;
        oxygens += oxygen;
        chain += oxygen ? "C(O)" : "C";
      }
      const bool ring = random() % 2 == 0;
      if (ring) chain += "C1CC1";
      esol << 10 + 2 * oxygens << ',' << chain << "\n";
      bbbp << ring << ',' << chain << "\n";
      // tox21: the first label is whether there is a ring; most molecules with a ring lack it. The second label is
      // whether there is an oxygen; a third of the molecules have it. The other labels are empty.
      const bool told = !ring || i % 4 == 0;
      tox21 << (told ? std::to_string(ring) : "") << ',' << (i % 3 == 0 ? std::to_string(oxygens > 0) : "")
            << ",,,,,,,,,," << ',' << chain << "\n";
    }
  }
  ~Tables() { std::filesystem::remove_all(folder_); }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_ = "tables_" + std::to_string(getpid());
};

Json settings(const Tables& tables, const std::string& model) {
  return {{"data", tables.folder()},
          {"model", model},
          {"hidden", 16},
          {"layers", 2},
          {"epochs", 15},
          {"lr", 0.01},
          {"dropout", 0},
          {"weight-decay", 0}};
}

TEST(MoleculesTask, CountsOxygens) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const Tables tables;
  for (const std::string model : {"graph-convolution", "weave"}) {
    TrainedTask task("esol", settings(tables, model));
    EXPECT_LT(task.scores["rmse"], 0.5) << model << ": 2 for an oxygen";
    EXPECT_EQ(task.scores_again(), task.scores) << model;
    const auto answers = task.predict({"CCC(O)C", "CC("});
    EXPECT_NEAR(answers[0]["measured log solubility in mols per litre"].get<double>(), 12, 1) << model;
    EXPECT_EQ(answers[1]["error"], "'CC(' is not a valid molecule");
  }
}

TEST(MoleculesTask, FindsRings) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const Tables tables;
  testing::internal::CaptureStderr();
  TrainedTask task("bbbp", settings(tables, "graph-convolution"));
  EXPECT_GT(task.scores["auc"], 0.98);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "espalier: skipped 1 of 301 rows; the first: " + tables.folder() +
                "/molecules/BBBP.csv:2:3: 'not a molecule' is not a valid molecule: a SMILES must be printable ASCII "
                "without blanks\n");
  EXPECT_EQ(task.scores_again(), task.scores);
}

TEST(MoleculesTask, ReadsTheColumnsOfTheDownloadedTable) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const Tables tables;
  std::ofstream table(tables.folder() + "/molecules/BBBP.csv");
  table << "num,name,p_np,smiles\n";
  for (int i = 0; i < 100; ++i) table << i << ",x," << (i % 2 == 0 ? "1,C1CC1" : "0,CCC") << "\n";
  table.close();
  Json few = settings(tables, "graph-convolution");
  few["epochs"] = 1;
  TrainedTask task("bbbp", few);
  EXPECT_EQ(task.scores.size(), 1u);
}

TEST(MoleculesTask, AMissingLabelIsNoLabel) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const Tables tables;
  Json one_epoch = settings(tables, "graph-convolution");  // so the best epoch is the last
  one_epoch.update({{"epochs", 1}, {"batch", 4}, {"schedule", "constant"}});
  TrainedTask task("tox21", one_epoch);
  EXPECT_GT(task.scores["auc"], 0.8);
  EXPECT_TRUE(task.scores["auc by target"].contains("NR-AR"));
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"CCCCC1CC1", "CCCCC"});
  EXPECT_GT(answers[0]["NR-AR"], 0.6) << "about 0.25 if a missing label were 0";
  EXPECT_LT(answers[1]["NR-AR"], 0.2);
  EXPECT_EQ(answers[0].size(), 12u);
}

TEST(MoleculesTask, SaysThatThereIsNoRDKit) {
  if (smiles::available()) GTEST_SKIP() << "skipped: built with RDKit";
  const Tables tables;
  EXPECT_EQ(test::error_of([&] { TrainedTask("esol", settings(tables, "weave")); }),
            "SMILES cannot be read: built without RDKit (librdkit-dev, libboost-dev)");
}

TEST(RocAuc, CountsPairs) {
  using app::roc_auc;
  EXPECT_EQ(roc_auc({{0.1f, false}, {0.2f, true}, {0.3f, false}, {0.4f, true}}), 0.75);
  EXPECT_EQ(roc_auc({{2, true}, {1, false}}), 1.0);
  EXPECT_EQ(roc_auc({{1, true}, {2, false}}), 0.0);
  EXPECT_EQ(roc_auc({{1, true}, {1, false}, {1, false}}), 0.5) << "ties count half";
  EXPECT_EQ(roc_auc({{1, true}}), std::nullopt);
  EXPECT_EQ(roc_auc({}), std::nullopt);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
