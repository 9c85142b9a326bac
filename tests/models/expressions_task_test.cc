// listops and arithmetic: a Tree-LSTM learns them, a bag of words does not.
#include <cstdlib>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

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
  EXPECT_EQ(answers[0]["probabilities"].size(), 10u);
  EXPECT_EQ(answers[1]["error"], "line:1:11: the text ends inside '[MAX' at 1:1; expected ]");
  EXPECT_EQ(answers[2]["label"], "3");
}

TEST(ListOpsTask, EveryModelAndSupervisionTrains) {
  for (const std::string model : {"tree-rnn", "rntn"})
    for (const std::string where : {"all", "root"}) {
      TrainedTask task("listops", {{"generate", 3000},
                                   {"max-tokens", 8},
                                   {"epochs", 8},
                                   {"batch", 16},
                                   {"lr", model == "rntn" ? 0.002 : 0.01},  // products of products grow
                                   {"threads", 1},
                                   {"hidden", 16},
                                   {"dim", 8},
                                   {"model", model},
                                   {"supervise", where}});
      EXPECT_GT(task.scores["accuracy"], 0.4) << model << " " << where;  // 0.1 to 0.2 for a constant answer
      EXPECT_EQ(task.scores_again(), task.scores) << model << " " << where;
    }
}

TEST(ArithmeticTask, LearnsSumsAndDifferences) {
  const test::DataFolder folder;
  std::string text;
  for (int a = -3; a <= 3; ++a)
    for (int b = -3; b <= 3; ++b)
      for (int c = -3; c <= 3; ++c)
        for (const int first : {1, -1})
          for (const int second : {1, -1})
            text += std::to_string(a + first * b + second * c) + "\t( " + (second > 0 ? "+" : "-") + " ( ( " +
                    (first > 0 ? "+" : "-") + " ( " + std::to_string(a) + " " + std::to_string(b) + " ) ) " +
                    std::to_string(c) + " ) )\n";
  folder.write("arithmetic/simple7_100k.tsv.gz", text);

  TrainedTask task("arithmetic",
                   {{"data", folder.path()}, {"epochs", 20}, {"batch", 16}, {"lr", 0.005}, {"threads", 1}});
  EXPECT_GT(task.scores["accuracy"], 0.85);  // 0.12 for a constant answer
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"( - ( 3 3 ) )", "3 - 3", "( - ( 3 11 ) )", "( - ( 3"});
  EXPECT_EQ(answers[0]["probabilities"].size(), 21u);
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[2]["error"], "line:1:9: '11' is not a number; expected -10 … 10");
  EXPECT_EQ(answers[3]["error"], "line:1:8: the text ends inside the '(' at column 5; expected )");
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

}  // namespace ESPALIER_FILE
}  // namespace espalier
