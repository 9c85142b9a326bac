// sentiment: all models, with five classes and two, on a synthetic treebank whose words determine the label of a
// phrase.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

// The sentiment of a phrase is the sum over its words.
std::string phrase(std::mt19937& random, unsigned words, int* polarity) {
  constexpr const char* known[] = {"awful", "poor", "plain", "good", "superb"};
  if (words == 1) {
    const unsigned word = static_cast<unsigned>(random() % 5);
    *polarity = static_cast<int>(word) - 2;
    return "(" + std::to_string(word) + " " + known[word] + ")";
  }
  int left = 0, right = 0;
  const unsigned cut = 1 + static_cast<unsigned>(random() % (words - 1));
  const std::string l = phrase(random, cut, &left), r = phrase(random, words - cut, &right);
  *polarity = std::clamp(left + right, -2, 2);
  return "(" + std::to_string(*polarity + 2) + " " + l + " " + r + ")";
}

std::string trees(unsigned seed, int n) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0, polarity = 0; i < n; ++i)
    text += phrase(random, 1 + static_cast<unsigned>(random() % 5), &polarity) + "\n";
  return text;
}

class SentimentTask : public testing::Test {
 protected:
  SentimentTask() {
    folder_.write("sst/train.txt", trees(1, 500));
    folder_.write("sst/dev.txt", trees(2, 100));
  }
  Json settings(const Json& more) const {
    Json all{{"data", folder_.path()},
             {"vectors", "none"},
             {"dim", 8},
             {"hidden", 12},
             {"optimizer", "adam"},
             {"lr", 0.02},
             {"batch", 20},
             {"epochs", 6},
             {"word-dropout", 0},
             {"node-dropout", 0},
             {"out-dropout", 0.1},
             {"patience", 0},
             {"threads", 1}};
    all.update(more);
    return all;
  }

 private:
  test::DataFolder folder_;
};

TEST_F(SentimentTask, EveryModelLearns) {
  for (const std::string model : {"tree-lstm", "tree-rnn", "rntn"}) {
    TrainedTask task("sentiment", settings({{"model", model}, {"lr", model == "rntn" ? 0.005 : 0.02}}));
    EXPECT_GT(task.scores["accuracy"], 0.7) << model;
    EXPECT_GE(task.scores["binary"], task.scores["accuracy"].get<double>()) << model;
    EXPECT_EQ(task.scores_again(), task.scores) << model;
    const auto answers = task.predict({"(4 superb)", "(0 (0 awful) (1 poor))"});
    EXPECT_EQ(answers[0]["label"], "very positive") << model;
    EXPECT_EQ(answers[1]["label"], "very negative") << model;
  }
}

TEST_F(SentimentTask, TwoClassesLeaveOutWhatIsNeutral) {
  TrainedTask task("sentiment", settings({{"classes", "2"}}));
  EXPECT_GT(task.scores["accuracy"], 0.9);
  EXPECT_FALSE(task.scores.contains("binary"));
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"(4 superb)", "(1 poor)"});
  EXPECT_EQ(answers[0]["label"], "positive");
  EXPECT_EQ(answers[0]["probabilities"].size(), 2u);
  EXPECT_GT(answers[0]["probabilities"]["positive"], answers[0]["probabilities"]["negative"]);
  EXPECT_EQ(answers[1]["label"], "negative");
}

TEST_F(SentimentTask, WordsWithoutVectorsLearnAsAllElseDoes) {
  const std::vector<std::string> asked{"(3 (3 good) (2 plain))"};
  TrainedTask slow("sentiment", settings({{"word-lr", 0}, {"epochs", 1}}));
  TrainedTask fast("sentiment", settings({{"word-lr", 1}, {"epochs", 1}}));
  EXPECT_EQ(slow.predict(asked), fast.predict(asked));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
