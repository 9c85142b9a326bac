// listops and arithmetic: what a Tree-LSTM finds, and a bag of words does not.
#include <cstdlib>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace {

using app::Json;
using test::TrainedTask;

TEST(ListOpsTask, ATreeFindsWhatABagOfWordsDoesNot) {
  const Json settings{{"generate", 8000}, {"max-tokens", 16}, {"epochs", 10}, {"lr", 0.01}, {"hidden", 32}};
  TrainedTask tree("listops", settings);
  EXPECT_GT(tree.scores["accuracy"], 0.65);
  EXPECT_EQ(tree.scores_again(), tree.scores);

  Json of_words = settings;
  of_words["model"] = "bag-of-words";
  EXPECT_LT(TrainedTask("listops", of_words).scores["accuracy"], tree.scores["accuracy"].get<double>() - 0.1);

  const auto answers = tree.predict({"[MAX 2 9 0 ]", "[MAX 2 9 0", "( ( ( [MIN 3 ) 8 ) ] )"});
  EXPECT_EQ(answers[0]["label"], "9");
  EXPECT_EQ(answers[0]["shares"].size(), 10u);
  EXPECT_EQ(answers[1]["error"], "line:1:11: the text ends inside '[MAX' of 1:1; needed ]");
  EXPECT_EQ(answers[2]["label"], "3");
}

TEST(ListOpsTask, EveryModelAndSupervisionTrains) {
  for (const std::string model : {"tree-rnn", "rntn"})
    for (const std::string where : {"all", "root"}) {
      TrainedTask task("listops", {{"generate", 600},
                                   {"max-tokens", 12},
                                   {"epochs", 1},
                                   {"hidden", 8},
                                   {"dim", 8},
                                   {"model", model},
                                   {"supervise", where}});
      EXPECT_GT(task.scores["accuracy"], 0.05) << model << " " << where;
      EXPECT_EQ(task.scores_again(), task.scores) << model << " " << where;
    }
}

TEST(ArithmeticTask, LearnsSumsAndDifferences) {
  const test::DataFolder folder;
  std::string text;
  for (int a = -10; a <= 10; ++a)
    for (int b = -10; b <= 10; ++b)
      for (const int sign : {1, -1})
        if (const int value = a + sign * b; std::abs(value) <= 10)
          text += std::to_string(value) + (sign > 0 ? "\t( + ( " : "\t( - ( ") + std::to_string(a) + " " +
                  std::to_string(b) + " ) )\n";
  folder.write("arithmetic/simple7_100k.tsv.gz", text);

  TrainedTask task("arithmetic", {{"data", folder.path()}, {"epochs", 40}, {"batch", 16}, {"lr", 0.005}});
  EXPECT_GT(task.scores["accuracy"], 0.12);  // 0.05 by chance; 600 examples are few
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"( - ( 3 3 ) )", "3 - 3", "( - ( 3 11 ) )", "( - ( 3"});
  EXPECT_EQ(answers[0]["shares"].size(), 21u);
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[2]["error"], "line:1:9: '11' is no number; needed -10 … 10");
  EXPECT_EQ(answers[3]["error"], "line:1:8: the text ends inside '(' of column 5; needed )");
}

TEST(ArithmeticTask, AnEmptyFileIsRefused) {
  const test::DataFolder folder;
  folder.write("arithmetic/simple7_100k.tsv.gz", "");
  try {
    TrainedTask task("arithmetic", {{"data", folder.path()}});
    FAIL() << "an empty file was taken";
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(), "arithmetic: there are no examples to train on");
  }
}

}  // namespace
}  // namespace espalier
