// mutagenesis: records whose label depends on nested data.
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "models/trained_task.h"
#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

class Records {
 public:
  explicit Records(const std::string& text) {
    std::filesystem::create_directories(folder_ + "/json_mutagenesis");
    std::ofstream(file()) << text;
  }
  ~Records() { std::filesystem::remove_all(folder_); }
  const std::string& folder() const { return folder_; }
  std::string file() const { return folder_ + "/json_mutagenesis/mutagenesis.json"; }

 private:
  std::string folder_ = "records_" + std::to_string(getpid());
};

// Mutagenic if an atom is nitrogen.
std::string molecules(size_t n) {
  std::mt19937 random(4);
  Json all = Json::array();
  for (size_t i = 0; i < n; ++i) {
    Json atoms = Json::array();
    bool nitrogen = false;
    for (uint32_t k = 1 + random() % 5; k > 0; --k) {
      const bool n7 = random() % 5 == 0;
      nitrogen |= n7;
      atoms.push_back({{"element", n7 ? "n" : "c"}, {"charge", static_cast<double>(random() % 100) / 100}});
    }
    all.push_back({{"mutagenic", nitrogen ? 1 : 0}, {"atoms", atoms}});
  }
  return all.dump(1);
}

TEST(MutagenesisTask, LearnsNestedRecords) {
  const Records records(molecules(188));
  TrainedTask task("mutagenesis", {{"data", records.folder()}, {"hidden", 16}, {"epochs", 15}});
  EXPECT_GT(task.scores["accuracy"], 0.9);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers =
      task.predict({R"({"atoms": [{"element": "n", "charge": 0.5}, {"element": "c", "charge": 0.5}]})",
                    R"({"atoms": [{"element": "c", "charge": 0.5}, {"element": "c", "charge": 0.1}]})",
                    R"({"atoms": [{"element": "c", "charge": "high"}]})", R"({"atoms": [)", R"({"atoms": []} garbage)",
                    R"({"atoms": []} {"atoms": []})", R"([{"atoms": []}, {"atoms": []}])", " "});
  EXPECT_EQ(answers[0]["label"], "1");
  EXPECT_EQ(answers[1]["label"], "0");
  EXPECT_EQ(answers[2]["error"], "line:1:1: $.atoms[0].charge: a string is given; a number is needed");
  EXPECT_EQ(answers[3]["error"], "line:1:12: the file ends inside the record that begins in line 1");
  EXPECT_EQ(answers[4]["error"], "line:1:15: invalid JSON: syntax error while parsing value - invalid literal");
  EXPECT_EQ(answers[5]["error"], "line:1:15: a second record; needed one per line");
  EXPECT_EQ(answers[6]["error"], "line:1:17: a second record; needed one per line");
  EXPECT_EQ(answers[7]["error"], "line:1:1: empty line; needed a record");
}

TEST(MutagenesisTask, SaysWhichRecordOfAFileDoesNotFit) {
  Json all = Json::parse(molecules(120));
  all[110]["atoms"][0]["charge"] = "high";
  std::string lines;
  for (const Json& record : all) lines += record.dump() + "\n";
  const Records records(lines);
  EXPECT_EQ(test::error_of([&] { TrainedTask("mutagenesis", {{"data", records.folder()}, {"epochs", 1}}); }),
            records.file() + ":111:1: $.atoms[0].charge: a string is given; a number is needed (example 10)");
}

TEST(MutagenesisTask, RefusesFilesThatAreNotSound) {
  auto error = [](const std::string& text) {
    const Records records(text);
    return test::error_of([&] { TrainedTask("mutagenesis", {{"data", records.folder()}}); });
  };
  const std::string file = "records_" + std::to_string(getpid()) + "/json_mutagenesis/mutagenesis.json";
  EXPECT_EQ(error("[{\"mutagenic\": 1,\n  atoms}]").substr(0, file.size() + 3), file + ":2:");
  EXPECT_EQ(error("{}"), file + ": no record has the field 'mutagenic'; the records have no fields");
  EXPECT_EQ(error("[{\"mutagenic\": 1, \"a\": 1},\n {\"mutagenic\": [2]}]"),
            file + ":2:2: mutagenic: the target is an array; must be a string, a number or a boolean");
  EXPECT_EQ(error("[{\"mutagenic\": 1, \"a\": 1}]"),
            file + ": the training examples have the single class '1'; a classifier needs at least two classes");
  EXPECT_EQ(error("[{\"mutagenic\": 1}, {\"mutagenic\": 0}]"),
            file + ": the records have no field but the target mutagenic");
  EXPECT_EQ(error("[]"), file + ": holds no examples to train on");
  EXPECT_EQ(error(""), file + ": holds no examples to train on");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
