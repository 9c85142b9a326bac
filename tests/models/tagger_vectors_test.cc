// tagger: word vectors help with words unseen in training, and words without vectors are trained.
#include <random>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

// Random sentences of names (n17) and other words (w17), both in lower case, numbered first … first + 19.
std::string sentences(unsigned seed, unsigned first, int n) {
  std::mt19937 random(seed);
  std::string text;
  for (int s = 0; s < n; ++s) {
    for (int i = 0; i < 5; ++i) {
      const std::string number = std::to_string(first + random() % 20);
      text += random() % 2 == 0 ? "n" + number + "|I-PER " : "w" + number + "|O ";
    }
    text += ".|O\n";
  }
  return text;
}

class TaggerVectors : public testing::Test {
 protected:
  TaggerVectors() {
    folder_.write("wikiner/train.txt", sentences(1, 0, 200));
    folder_.write("wikiner/dev.txt", sentences(2, 20, 50));
    std::mt19937 random(3);
    std::string vectors;
    for (int i = 0; i < 40; ++i)
      for (const std::string kind : {"n", "w"})
        vectors +=
            kind + std::to_string(i) + (kind == "n" ? " 1 -1 0." : " -1 1 0.") + std::to_string(random() % 10) + "\n";
    folder_.write("vectors.txt", vectors);
  }
  Json settings(const Json& more) const {
    Json all{{"data", folder_.path()},
             {"epochs", 4},
             {"lr", 0.02},
             {"dim", 3},
             {"shape-dim", 2},
             {"hidden", 8},
             {"batch", 20},
             {"word-dropout", 0.1},
             {"dropout", 0}};
    all.update(more);
    return all;
  }

 private:
  test::DataFolder folder_;
};

TEST_F(TaggerVectors, TellWhatAWordIsThatTrainingNeverMet) {
  TrainedTask task("tagger", settings({{"vectors", "vectors.txt"}}));
  EXPECT_GT(task.scores["accuracy"], 0.98);
  EXPECT_EQ(task.scores_again(), task.scores);
  EXPECT_EQ(task.predict({"n30 w31 ."})[0].dump(), R"({"tags":["I-PER","O","O"]})");
  EXPECT_LT(TrainedTask("tagger", settings({{"vectors", "none"}})).scores["accuracy"], 0.8);
}

TEST_F(TaggerVectors, WordsWithoutThemLearnAsAllElseDoes) {
  const TrainedTask slow("tagger", settings({{"vectors", "none"}, {"word-lr", 0}, {"epochs", 1}}));
  const TrainedTask fast("tagger", settings({{"vectors", "none"}, {"word-lr", 1}, {"epochs", 1}}));
  EXPECT_EQ(slow.values("words"), fast.values("words"));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
