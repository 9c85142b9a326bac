// espalier bench: runs every task briefly, with small sizes. Checks counts, not times.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/program.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using Json = nlohmann::json;

std::vector<Json> bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--json", "--seconds", "0.02", "--reps", "2"});
  const Ran r = run(arguments);
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  std::vector<Json> rows;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  return rows;
}

void expect_sound(const Json& row) {
  const std::vector<std::string> keys{"task",
                                      "mode",
                                      "policy",
                                      "batch",
                                      "device",
                                      "threads",
                                      "precision",
                                      "examples_per_s",
                                      "tokens_per_s",
                                      "examples_per_s_mad",
                                      "calls",
                                      "steps",
                                      "lower_bound_steps",
                                      "launches",
                                      "copied_bytes",
                                      "host_ns_per_call",
                                      "host_us_per_example",
                                      "share",
                                      "product_flops_per_example",
                                      "product_limit_flops_per_s",
                                      "roofline",
                                      "peak_bytes",
                                      "loss"};
  for (const std::string& key : keys) EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_EQ(row.size(), keys.size());
  for (const char* key : {"examples_per_s", "tokens_per_s", "calls", "steps", "launches", "product_flops_per_example",
                          "product_limit_flops_per_s", "roofline", "peak_bytes"})
    EXPECT_GT(row[key].get<double>(), 0) << key;
  for (const char* part : {"record", "schedule", "plan"}) EXPECT_GT(row["host_ns_per_call"][part].get<double>(), 0);
  double shares = 0;
  for (const char* part : {"record", "schedule", "plan", "gather", "product", "elementwise", "update", "other"})
    shares += row["share"][part].get<double>();
  EXPECT_EQ(row["share"].size(), 8u);
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_TRUE(row["loss"].is_number() && std::isfinite(row["loss"].get<double>()));
  const bool in_rounds = row["task"] == "parser" && row["mode"] == "infer";  // its rounds are scheduled one by one
  if (row["policy"] == "auto" && !in_rounds) {
    EXPECT_EQ(row["steps"], row["lower_bound_steps"]);
  }
}

TEST(Bench, EveryTaskIsSound) {
  const auto rows = bench({"fold-tree", "tree-lstm", "tagger", "tagger-char", "lm", "parser", "--dim", "8", "--hidden",
                           "8", "--leaves", "9", "--vocab", "50", "--batch", "4", "--mode", "train,infer"});
  ASSERT_EQ(rows.size(), 12u);
  for (const Json& row : rows) {
    SCOPED_TRACE(row["task"].get<std::string>() + " " + row["mode"].get<std::string>());
    expect_sound(row);
  }
}

TEST(Bench, ListsGiveARowForEachCombination) {
  const auto rows =
      bench({"tree-lstm", "--dim", "8", "--hidden", "8", "--batch", "1,3", "--policy", "none,depth,agenda,auto"});
  ASSERT_EQ(rows.size(), 8u);
  for (const Json& row : rows) expect_sound(row);
  EXPECT_EQ(rows[0]["policy"], "none");
  EXPECT_EQ(rows[0]["steps"], rows[0]["calls"]);
  EXPECT_EQ(rows[7]["policy"], "auto");
  EXPECT_EQ(rows[7]["batch"], 3);
  EXPECT_EQ(rows[1]["calls"], rows[7]["calls"]);  // the same minibatches
}

TEST(Bench, TwoThreads) {
  const auto rows = bench({"tagger", "--batch", "4", "--threads", "2"});
  ASSERT_EQ(rows.size(), 1u);
  expect_sound(rows[0]);
  EXPECT_EQ(rows[0]["threads"], 2);
}

TEST(Bench, ProfileTellsWhatEachCellTook) {
  const std::vector<std::string> small{"bench",  "tree-lstm", "--dim",     "8", "--hidden", "8",
                                       "--reps", "1",         "--seconds", "0", "--profile"};
  const Ran table = run(small);
  EXPECT_EQ(table.status, 0);
  for (const char* cell : {"  by cell ", "  node ", "  node, backward ", "  gradient of "})
    EXPECT_NE(table.out.find(cell), std::string::npos) << cell << "\n" << table.out;
  std::vector<std::string> as_json = small;
  as_json.emplace_back("--json");
  const Ran both = run(as_json);
  EXPECT_NE(both.err.find("  node, backward "), std::string::npos) << both.err;
  expect_sound(Json::parse(both.out));
}

// fold-tree with --dim D: 12 D² FLOPs per node forward, three times as many in training.
TEST(Bench, CountsTheProductsOfTheFormulas) {
  const auto rows = bench(
      {"fold-tree", "--dim", "16", "--leaves", "5", "--batch", "2", "--mode", "infer,train", "--shape", "sequence"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["product_flops_per_example"], 4 * 12 * 16 * 16);
  EXPECT_EQ(rows[1]["product_flops_per_example"], 3 * 4 * 12 * 16 * 16);
  EXPECT_EQ(rows[0]["calls"], 2 * (5 + 4 + 1));
  EXPECT_EQ(rows[0]["steps"], 1 + 4 + 1);
}

TEST(Bench, ReadsAFile) {
  std::ofstream("bench_trees.txt") << "(3 (2 a) (4 (2 b) (1 a)))\n(2 (2 b) (2 b))\n";
  const auto rows = bench({"tree-lstm", "--data", "bench_trees.txt", "--dim", "8", "--hidden", "8"});
  ASSERT_EQ(rows.size(), 1u);
  expect_sound(rows[0]);
  EXPECT_EQ(rows[0]["calls"], 2 * (5 + 3) - 3);  // a cell and a loss per node; five leaves with two distinct words
}

TEST(Bench, ErrorsExitWith1) {
  const Ran missing = run({"bench", "lm", "--data", "no_such_file.txt"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "espalier: no_such_file.txt: No such file or directory\n");
  std::ofstream("bench_blank.txt") << "\n\n";
  EXPECT_EQ(run({"bench", "lm", "--data", "bench_blank.txt"}).err, "espalier: bench: the file holds no examples\n");
  const Ran cuda = run({"bench", "fold-tree", "--device", "cuda", "--dim", "4"});
  if (cuda.status == 0) return;  // there is a GPU
  EXPECT_EQ(cuda.status, 1);
  EXPECT_EQ(cuda.out, "");
  EXPECT_TRUE(cuda.err.starts_with("espalier: device cuda:0: ")) << cuda.err;
  EXPECT_TRUE(cuda.err.ends_with("; use device cpu\n")) << cuda.err;
}

TEST(Bench, InterruptedPrintsWhatIsKnown) {
  const Ran r = run({"bench", "tree-lstm", "--dim", "8", "--hidden", "8", "--seconds", "1000"}, {.interrupt = true});
  EXPECT_EQ(r.status, 130);
  EXPECT_NE(r.out.find("tree-lstm    train auto"), std::string::npos) << r.out;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
