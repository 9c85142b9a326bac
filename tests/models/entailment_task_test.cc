// entailment: trained on formulas of up to two operators, tested on longer ones.
#include <random>

#include <gtest/gtest.h>
#include <espalier/data/logic.h>

#include "models/data_folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

namespace logic = data::logic;

std::string formula(std::mt19937& random, int operators) {
  if (operators == 0) return std::string(1, "abc"[random() % 3]);
  if (random() % 3 == 0) return "( not " + formula(random, operators - 1) + " )";
  const int left = static_cast<int>(random() % static_cast<unsigned>(operators));
  const std::string l = formula(random, left), r = formula(random, operators - 1 - left);
  return "( " + l + (random() % 2 == 0 ? " ( and " : " ( or ") + r + " ) )";
}

std::string pairs(std::mt19937& random, int operators, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const std::string l = formula(random, operators), r = formula(random, static_cast<int>(random() % 2) * operators);
    const int relation = logic::relation(logic::parse_formula(l), logic::parse_formula(r));
    text += std::string(logic::relation_names[static_cast<size_t>(relation)]) + "\t" + l + "\t" + r + "\n";
  }
  return text;
}

TEST(EntailmentTask, LearnsShortFormulasAndIsJudgedOnLongerOnes) {
  const test::DataFolder folder;
  std::mt19937 random(7);
  for (int length = 0; length <= 12; ++length)
    folder.write("propositional_logic/train" + std::to_string(length) + ".gz", pairs(random, length,
                                                                                     length == 2   ? 1200
                                                                                     : length == 1 ? 300
                                                                                                   : 40));
  test::TrainedTask task(
      "entailment",
      {{"data", folder.path()}, {"max-length", 2}, {"epochs", 10}, {"lr", 0.01}, {"hidden", 32}, {"compared", 32}});
  EXPECT_GT(task.scores["accuracy"], 0.8);
  for (const std::string length : {"0", "2", "7", "12"})
    EXPECT_TRUE(task.scores["accuracy by length in operators"].contains(length)) << length;
  EXPECT_EQ(task.scores_again(), task.scores);

  const auto answers = task.predict({"a\t( not a )", "#\ta\tb", "a\tb\tc\td", "<\ta\t( not a )"});
  EXPECT_EQ(answers[0]["label"], "^");
  EXPECT_EQ(answers[1]["label"], "#");
  EXPECT_EQ(answers[2]["error"],
            "line:1:1: 4 columns; expected an optional relation and two formulas, separated by tabs");
  EXPECT_EQ(answers[3]["error"], "line:1:1: relation < of formulas with relation ^");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
