// listops and arithmetic: what a Tree-LSTM finds, and a bag of words does not.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace espalier
