// Molecules by graph convolution and Weave, on a synthetic table: the number of oxygens, and whether there is a ring.
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include <gtest/gtest.h>
#include <espalier/smiles/smiles.h>

#include "models/data_folder.h"
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
  TrainedTask task("bbbp", settings(tables, "graph-convolution"));
  EXPECT_GT(task.scores["auc"], 0.98);
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
  EXPECT_TRUE(task.scores.contains("auc"));
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

// A table of chains of carbon and oxygen, some with a ring.
std::string table(const std::string& header, const std::function<std::string(const std::string& smiles, int i)>& row,
                  int n = 80) {
  std::string text = header + "\n";
  for (int i = 0; i < n; ++i) {
    std::string smiles(static_cast<size_t>(1 + i % 7), 'C');
    if (i % 3 == 0) smiles += "O";
    if (i % 2 == 0) smiles += "C1CCCC1";
    text += row(smiles, i) + "\n";
  }
  return text;
}

Json small(const Json& more) {
  Json all{{"hidden", 8}, {"layers", 2}, {"epochs", 2}, {"lr", 0.01}, {"threads", 1}};
  all.update(more);
  return all;
}

TEST(MoleculesTask, ReadsTheColumnsOfEveryPreset) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const test::DataFolder folder;
  const auto flag = [](int i) { return std::to_string(i % 2); };
  folder.write("molecules/bace.csv", table("mol,CID,Class,Model,pIC50", [&](const std::string& s, int i) {
                 return s + ",BACE_" + std::to_string(i) + "," + flag(i) + ",Train,9.1";
               }));
  folder.write("molecules/HIV.csv",
               table("smiles,activity,HIV_active", [&](const std::string& s, int i) { return s + ",CI," + flag(i); }));
  folder.write("molecules/clintox.csv", table("smiles,FDA_APPROVED,CT_TOX", [&](const std::string& s, int i) {
                 return s + "," + flag(i) + "," + flag(i / 2);
               }));
  folder.write("molecules/SAMPL.csv", table("iupac,smiles,expt,calc", [&](const std::string& s, int i) {
                 return "\"4-x,y\"," + s + "," + std::to_string(-i % 9) + ".5,0";
               }));
  const Json sider = app::settings_of(*app::task_kind("sider").make());
  folder.write("molecules/sider.csv",
               table("smiles," + sider["target"].get<std::string>(), [&](const std::string& s, int i) {
                 std::string row = s;
                 for (int t = 0; t < 27; ++t) row += "," + flag(i + t);
                 return row;
               }));
  for (const std::string name : {"bace", "hiv", "clintox", "sider", "freesolv"}) {
    TrainedTask task(name, small({{"data", folder.path()}, {"split", "random"}}));
    EXPECT_EQ(task.scores_again(), task.scores) << name;
    EXPECT_EQ(task.predict({"CCO"})[0].size(), name == "sider" ? 27u : name == "clintox" ? 2u : 1u);
  }
}

TEST(MoleculesTask, LabelsMayBeWords) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const test::DataFolder folder;
  folder.write(
      "m.csv",
      table(
          "SMILES,\"shape, size\",ring",
          [](const std::string& s, int i) {
            return s + "," + (i % 7 < 2 ? "short" : i % 7 < 5 ? "middle" : "long") + "," + (i % 2 == 0 ? "yes" : "no");
          },
          200));
  TrainedTask task("molecules", small({{"csv", folder.path() + "/m.csv"},
                                       {"smiles", "SMILES"},
                                       {"target", "\"shape, size\",ring"},
                                       {"class-weights", "balanced"},
                                       {"epochs", 20}}));
  EXPECT_GT(task.scores["accuracy"], 0.85);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"CC1CCCC1", std::string(1200, 'C')});
  EXPECT_EQ(answers[0]["ring"]["label"], "yes");
  EXPECT_EQ(answers[0]["shape, size"]["probabilities"].size(), 3u);
  EXPECT_TRUE(answers[1].contains("ring")) << "a SMILES of 1,200 bytes";
}

TEST(MoleculesTask, AScaffoldIsInOnePart) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const test::DataFolder folder;
  std::string text = "smiles,t\n";
  for (int i = 0; i < 100; ++i)  // 20 scaffolds: two rings with a chain between them
    text += "CC1CC1" + std::string(static_cast<size_t>(i % 20), 'C') + "C1CC1" + (i < 50 ? "C" : "O") + "," +
            std::to_string(i % 20) + ".0\n";
  folder.write("m.csv", text);
  const auto task = app::task_kind("molecules").make();
  app::set_settings(
      *task,
      small({{"csv", folder.path() + "/m.csv"}, {"target", "t"}, {"kind", "regression"}, {"split", "scaffold"}}));
  task->read();
  EXPECT_EQ(task->train_size(), 80u);
  EXPECT_EQ(task->dev_size(), 10u);
  // The targets of the parts do not overlap: a scaffold has one target.
  const std::vector<std::string> lines = task->summary();
  EXPECT_EQ(lines[1], "train 80, dev 10, test 10 (scaffold split)");
  EXPECT_EQ(lines[2].substr(0, 13), "  target 't':");
  EXPECT_NE(lines[2].find("from 4 to 19"), std::string::npos) << lines[2];
}

TEST(MoleculesTask, ListsUnreadableMolecules) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const test::DataFolder folder;
  folder.write("m.csv", table("smiles,t", [](const std::string& s, int i) {
                 return (i == 5 || i == 9 ? "C1C" : s) + "," + std::to_string(i % 2);
               }));
  const std::string file = folder.path() + "/m.csv";
  const auto task = app::task_kind("molecules").make();
  app::set_settings(*task, small({{"csv", file}, {"target", "t"}}));
  task->read();
  EXPECT_EQ(
      task->summary(),
      (std::vector<std::string>{
          file + ": 78 molecules, column 'smiles'; targets t", "  2 rows skipped: unreadable SMILES",
          "    " + file + ":7:1: 'C1C' is not a valid molecule", "    " + file + ":11:1: 'C1C' is not a valid molecule",
          "train 62, dev 8, test 8 (random split)", task->summary().back()}));
}

TEST(MoleculesTask, ErrorsNameTheColumn) {
  if (!smiles::available()) GTEST_SKIP() << "skipped: built without RDKit";
  const test::DataFolder folder;
  folder.write("m.csv", "smiles,logp,name,mass,charge,rings\nCC,1.5,a,1,0,0\nCCC,high,b,2,0,0\nCCCC\n");
  const std::string file = folder.path() + "/m.csv";
  const auto error = [&](const Json& more) {
    Json all = small({{"csv", file}, {"target", "logp"}, {"kind", "regression"}});
    all.update(more);
    return test::error_of([&] { TrainedTask("molecules", all); });
  };
  EXPECT_EQ(error({{"target", "logP"}}),
            file + ": no column 'logP' among 6; the nearest are 'logp', 'name', 'mass', 'rings', 'charge'");
  EXPECT_EQ(error({{"smiles", "structure"}}).substr(0, file.size() + 23), file + ": no column 'structure'");
  EXPECT_EQ(error({{"target", ""}}), "--target COLUMN is missing; it names the columns to predict");
  EXPECT_EQ(error({{"csv", ""}}), "--csv FILE is missing; it names the examples to train on");
  EXPECT_EQ(error({{"target", "logp,logp"}}), "--target:1:6: two columns are named 'logp'");
  EXPECT_EQ(error(Json::object()),
            file + ":3:5: target 'logp': 'high' is not a number; regression needs numbers, or --kind classification");
  folder.write("m.csv", "smiles,logp\nCC,1.5\nCCC\n");
  EXPECT_EQ(error(Json::object()), file + ":3:1: 1 fields; expected 2");
  folder.write("m.csv", "smiles;logp\nCC;1.5\n");
  EXPECT_EQ(error(Json::object()),
            file + ":1:1: no column 'smiles'; the fields are separated by semicolons; expected commas");
  folder.write("m.csv", "smiles,logp\nCC,1.5\nC,2\n");
  EXPECT_EQ(error(Json::object()), file +
                                       ": 2 examples are divided into 1 for train, 0 for dev and 1 for test; give more "
                                       "examples, or --dev FILE");
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
