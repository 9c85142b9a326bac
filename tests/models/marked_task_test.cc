// addition and multiplication: attention finds the two marked numbers.
#include <gtest/gtest.h>

#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

TEST(MarkedTask, Adds) {
  TrainedTask task("addition", {{"shortest", 10},
                                {"longest", 40},
                                {"generate", 2000},
                                {"judge", 200},
                                {"hidden", 32},
                                {"epochs", 20},
                                {"batch", 20},
                                {"lr", 0.01}});
  EXPECT_GT(task.scores["within 0.04"], 0.95);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({"0.5* 0.1 0.9 -0.3 0.25* 0 0 0 0 0 -0.8 0.7", "0.5* 0.1 0.2 0.3", "1* x* 3 4"});
  EXPECT_NEAR(answers[0]["target"].get<double>(), 0.5 + 0.75 / 4, 0.08);
  EXPECT_EQ(answers[1]["error"],
            "line:1:1: 4 numbers, 1 of them marked; expected at least 4, two of them marked, such as 0.5*");
  EXPECT_EQ(answers[2]["error"], "line:1:4: 'x' is not a number");
}

TEST(MarkedTask, Multiplies) {
  const TrainedTask task("multiplication", {{"shortest", 10},
                                            {"longest", 40},
                                            {"generate", 2000},
                                            {"judge", 200},
                                            {"hidden", 32},
                                            {"epochs", 20},
                                            {"batch", 20},
                                            {"lr", 0.01}});
  EXPECT_GT(task.scores["within 0.04"], 0.95);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
