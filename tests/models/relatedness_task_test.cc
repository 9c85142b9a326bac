// relatedness: sentences that share words are related.
#include <random>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"
#include "tasks/metrics/correlation.h"

namespace espalier {
namespace ESPALIER_FILE {

// Sentences of a subject, a verb and an object; their relatedness is the number of words they share.
void write(const test::DataFolder& folder, const std::string& part, int n, unsigned seed) {
  constexpr const char *who[] = {"dogs", "Cats", "birds"}, *what[] = {"chase", "see", "like"},
                       *whom[] = {"mice", "balls", "boys"};
  std::mt19937 random(seed);
  std::string a, b, parents, similarity;
  for (int i = 0; i < n; ++i) {
    const size_t x[] = {random() % 3, random() % 3, random() % 3}, y[] = {random() % 3, random() % 3, random() % 3};
    const auto sentence = [&](const size_t* of) {
      return std::string(who[of[0]]) + " " + what[of[1]] + " " + whom[of[2]] + "\n";
    };
    a += sentence(x);
    b += sentence(y);
    parents += "2 0 2\n";
    const int shared = (x[0] == y[0] ? 1 : 0) + (x[1] == y[1] ? 1 : 0) + (x[2] == y[2] ? 1 : 0);
    similarity += std::to_string(1 + 4 * shared / 3.0) + "\n";
  }
  for (const auto& [file, text] :
       {std::pair("a.toks", a), {"b.toks", b}, {"a.parents", parents}, {"b.parents", parents}, {"sim.txt", similarity}})
    folder.write("sick/" + part + "/" + file, text);
}

TEST(RelatednessTask, LearnsWhatIsShared) {
  const test::DataFolder folder;
  write(folder, "train", 400, 1);
  write(folder, "dev", 100, 2);
  folder.write("vectors.txt", "dogs 1 0 0\ncats 0 1 0\nbirds 0 0 1\n");
  folder.write("more.txt", "mice 1 1 0\nballs 0 1 1\n");
  test::TrainedTask task("relatedness", {{"data", folder.path()},
                                         {"vectors", "vectors.txt,more.txt"},
                                         {"word-lr", 1},
                                         {"epochs", 10},
                                         {"hidden", 24},
                                         {"compared", 24}});
  EXPECT_GT(task.scores["pearson"], 0.7);
  EXPECT_EQ(task.scores_again(), task.scores);

  const auto answers =
      task.predict({"Dogs see mice\t2 0 2\tdogs see mice\t2 0 2", "dogs see mice\t2 0 2\tcats like boys\t2 0 2",
                    "nobody\t0\tever\t0", "dogs see\t2 1\tcats\t0", "dogs"});
  EXPECT_GT(answers[0]["relatedness"], 4);
  EXPECT_LT(answers[1]["relatedness"], 2);
  EXPECT_EQ(answers[2]["probabilities"].size(), 5u);
  EXPECT_EQ(answers[3]["error"], "line:1:10: word 1 is its own ancestor; the parents must form a tree");
  EXPECT_EQ(answers[4]["error"], "line:1:1: 1 columns; expected words, parents, words, parents, separated by tabs");
}

TEST(RelatednessTask, WordsStayAsTheirVectorsAre) {
  const test::DataFolder folder;
  write(folder, "train", 100, 1);
  write(folder, "dev", 30, 2);
  folder.write("vectors.txt", "dogs 1 0 0\ncats 0 1 0\nbirds 0 0 1\n");
  const auto words = [&](int epochs, double rate) {
    return test::TrainedTask("relatedness", {{"data", folder.path()},
                                             {"vectors", "vectors.txt"},
                                             {"word-lr", rate},
                                             {"epochs", epochs},
                                             {"hidden", 8},
                                             {"compared", 8}})
        .values("words");
  };
  const float usual = 0;
  EXPECT_EQ(words(1, usual), words(3, usual));
  EXPECT_NE(words(1, usual), words(1, 1));
}

// The first file that exists is taken, and a file that two names lead to is read once.
TEST(RelatednessTask, VectorsMayHaveAlternatives) {
  const test::DataFolder folder;
  write(folder, "train", 4, 1);
  write(folder, "dev", 4, 2);
  folder.write("all.txt", "dogs 1 0 0\ncats 0 1 0\n");
  const test::TrainedTask task("relatedness", {{"data", folder.path()},
                                               {"vectors", "some.txt|all.txt,more.txt|all.txt"},
                                               {"epochs", 1},
                                               {"hidden", 4},
                                               {"compared", 4}});
  EXPECT_EQ(task.scores.count("pearson"), 1u);
}

TEST(RelatednessTask, VectorsOfDifferentLengthsAreRefused) {
  const test::DataFolder folder;
  write(folder, "train", 4, 1);
  folder.write("vectors.txt", "dogs 1 0 0\n");
  folder.write("more.txt", "mice 1 1\n");
  try {
    test::TrainedTask task("relatedness", {{"data", folder.path()}, {"vectors", "vectors.txt,more.txt"}});
    FAIL() << "they were taken";
  } catch (const DataError& e) {
    EXPECT_EQ(e.what(), folder.path() + "/more.txt: its vectors have size 2; those of the first file have size 3");
  }
}

TEST(Correlation, OfRanksAndOfNumbers) {
  const std::vector<float> x{1, 2, 3, 4}, y{1, 4, 9, 16}, tied{1, 1, 2, 3};
  EXPECT_NEAR(app::pearson(x, y), 0.9844, 1e-4);
  EXPECT_DOUBLE_EQ(app::spearman(x, y), 1);
  EXPECT_NEAR(app::spearman(x, tied), 0.9487, 1e-4);
  EXPECT_DOUBLE_EQ(app::mean_squared_error(x, y), (0 + 4 + 36 + 144) / 4.0);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
