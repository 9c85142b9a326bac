// The tasks whose models are blocks: calculator, language-id, fizz-buzz, images.
#include <gtest/gtest.h>

#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

using test::TrainedTask;

TEST(CalculatorTask, FindsTheSign) {
  TrainedTask task("calculator", {{"examples", 2000}, {"epochs", 6}});
  EXPECT_GT(task.scores["accuracy"], 0.8);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"1 - 9", "( - ( 1 9 ) )", "8 + 9", "1 - -9", "1 -"});
  EXPECT_EQ(answers[0]["label"], "below 0");
  EXPECT_EQ(answers[1], answers[0]);
  EXPECT_EQ(answers[2]["label"], "above 0");
  EXPECT_EQ(answers[3]["error"], "line:1:1: -9 is not a digit; needed an expression of digits, such as 3 * (2 - 7)");
  EXPECT_EQ(answers[4]["error"], "line:1:4: the text ends; expected a number or (");
}

TEST(LanguageIdTask, TellsLanguagesApart) {
  TrainedTask task("language-id", {{"examples", 1000}, {"epochs", 4}});
  EXPECT_GT(task.scores["accuracy"], 0.9);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"ktasno", "Kaaloo\tkaaloo", "", "Klingon\tnuqneH", "Kalosi\t"});
  EXPECT_EQ(answers[0]["label"], "Ktasno");
  EXPECT_EQ(answers[1]["label"], "Kaaloo");
  EXPECT_EQ(answers[2]["error"], "line:1:1: empty line; needed a text, such as kalosi");
  EXPECT_EQ(answers[3]["error"],
            "line:1:1: unknown language 'Klingon'; needed one of Kalosi, Akolis, Ktasno, Kaaloo, Strendt, Nyauri");
  EXPECT_EQ(answers[4]["error"], "line:1:8: the text is missing");
}

TEST(FizzBuzzTask, CountsWhatItWasNotTrainedOn) {
  TrainedTask task("fizz-buzz", {{"epochs", 60}});
  EXPECT_GT(task.scores["accuracy"], 0.6);  // 0.53 for always answering with the number
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"15", "1024", "fizz"});
  EXPECT_EQ(answers[0]["probabilities"].size(), 4u);
  EXPECT_EQ(answers[1]["error"], "line:1:1: '1024' is not an integer from 0 to 1023");
  EXPECT_EQ(answers[2]["error"], "line:1:1: 'fizz' is not an integer from 0 to 1023");
}

TEST(ImagesTask, ReadsDigits) {
  TrainedTask task("images", {{"examples", 1500}, {"epochs", 4}, {"hidden", 64}});
  EXPECT_GT(task.scores["accuracy"], 0.7);
  EXPECT_EQ(task.scores_again(), task.scores);
  std::string blank = "0";
  for (int i = 1; i < 784; ++i) blank += " 0";
  const auto answers = task.predict({blank, "3\t" + blank, "0 1 0", "0 1 2", "x\t0"});
  EXPECT_EQ(answers[0]["probabilities"].size(), 10u);
  EXPECT_EQ(answers[1], answers[0]);
  EXPECT_EQ(answers[2]["error"], "line:1:1: found 3 pixels; needed 784");
  EXPECT_EQ(answers[3]["error"], "line:1:5: '2' is not a number from 0 to 1");
  EXPECT_EQ(answers[4]["error"], "line:1:1: 'x' is not a digit");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
