// trees: all forms of trees, arities, models and settings, on synthetic trees whose words determine their classes.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"
#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json, app::Part;
using test::error_of, test::TrainedTask;

enum class Form { all, roots };

const std::vector<std::string> grades{"-2", "-1", "0", "1", "2"};

// A phrase is as good as the sum of its parts, up to five grades. A node has one to four children.
std::string phrase(std::mt19937& random, int levels, Form form, int* grade) {
  static const std::vector<std::string> known{"awful", "poor", "plain", "good", "superb"};
  const auto label = [&] { return form == Form::all ? grades[static_cast<size_t>(*grade + 2)] + " " : ""; };
  if (levels == 0 || random() % 4 == 0) {
    const auto word = random() % 5;
    *grade = static_cast<int>(word) - 2;
    return "(" + label() + known[word] + ")";
  }
  std::string inside;
  int sum = 0;
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    int part = 0;
    inside += " " + phrase(random, levels - 1, form, &part);
    sum += part;
  }
  *grade = std::clamp(sum, -2, 2);
  return "(" + label() + inside + " )";
}

std::string phrases(unsigned seed, int n, Form form) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0, grade = 0; i < n; ++i) {
    const std::string tree = phrase(random, 2, form, &grade);
    text += (form == Form::all ? "" : grades[static_cast<size_t>(grade + 2)] + "\t") + tree + "\n";
  }
  return text;
}

// The answer to one line alone: in a batch, its last digits depend on the other lines.
Json answer(TrainedTask& task, const std::string& line) { return task.predict({line})[0]; }

class TreesTask : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    folder_.write(name, text);
    return folder_.path() + "/" + name;
  }
  Json settings(const std::string& train, const Json& more = Json::object()) const {
    Json all{{"train", train},         {"dim", 12},     {"hidden", 16}, {"lr", 0.01}, {"batch", 16}, {"epochs", 8},
             {"data", folder_.path()}, {"patience", 0}, {"threads", 1}};
    all.update(more);
    return all;
  }
  // The task after reading its data.
  std::unique_ptr<app::TrainingTask> read(const Json& settings) const {
    auto task = app::task_kind("trees").make();
    app::set_settings(*task, settings);
    task->read();
    return task;
  }
  std::string refusal(const Json& settings) const {
    return error_of([&] { read(settings); });
  }

  test::DataFolder folder_;
};

TEST_F(TreesTask, EveryModelLearnsTreesOfAnyArity) {
  const std::string train = file("train", phrases(1, 700, Form::all)), dev = file("dev", phrases(2, 150, Form::all));
  for (const std::string model : {"tree-lstm", "tree-rnn", "rntn"}) {
    TrainedTask task("trees",
                     settings(train, {{"dev", dev}, {"model", model}, {"lr", model == "rntn" ? 0.003 : 0.01}}));
    EXPECT_GT(task.scores["accuracy"], 0.75) << model;
    EXPECT_EQ(task.scores_again(), task.scores) << model;
    const auto answers = task.predict({"(_ superb)", "(_ (_ awful) poor (_ (_ plain)))", "(x y z)"});
    EXPECT_EQ(answers[0]["label"], "2") << model;
    EXPECT_EQ(answers[1]["label"], "-2") << model;
    EXPECT_EQ(answers[2]["probabilities"].size(), 5u) << "unknown words have an answer";
  }
}

TEST_F(TreesTask, LearnsFromRootsAlone) {
  const std::string train = file("train", phrases(3, 1500, Form::roots));
  TrainedTask task("trees", settings(train));
  EXPECT_GT(task.scores["accuracy"], 0.7);
  EXPECT_EQ(task.scores_again(), task.scores);
  EXPECT_EQ(answer(task, "( superb )")["label"], "2");
  EXPECT_EQ(answer(task, "0\t( superb )"), answer(task, "( superb )")) << "the label of a line is ignored";
  EXPECT_EQ(answer(task, "superb"), answer(task, "( superb )"));
  EXPECT_EQ(answer(task, "( ( awful ) ( poor plain ) )")["label"], "-2");
  EXPECT_EQ(answer(task, "( a")["error"], "line:1:4: the text ends inside the '(' at column 1; expected )");

  // The same trees with labels at all nodes, of which only those of the roots are used.
  const std::string all = file("all", phrases(3, 1500, Form::all));
  EXPECT_EQ(TrainedTask("trees", settings(all, {{"supervise", "root"}})).scores, task.scores);
}

TEST_F(TreesTask, LearnsOperatorsOfAnyName) {
  std::mt19937 random(4);
  std::string text;
  for (int i = 0; i < 1500; ++i) {  // the first or the last argument; the arguments of a list are a, b and c
    const bool is_first = random() % 2 == 0;
    std::string shuffled = "abc";
    std::ranges::shuffle(shuffled, random);
    text += std::string(1, is_first ? shuffled[0] : shuffled[2]) + "\t" + (is_first ? "[FIRST" : "[LAST");
    for (const char c : shuffled) text += std::string(" ") + c;
    text += " ]\n";
  }
  const std::string train = file("train", text);
  TrainedTask task("trees", settings(train));
  EXPECT_GT(task.scores["accuracy"], 0.95);
  EXPECT_LT(TrainedTask("trees", settings(train, {{"model", "bag-of-words"}})).scores["accuracy"], 0.6);
  const auto answers = task.predict({"[LAST a b c ]", "( ( [FIRST b ) ( a ) c ] )", "[LAST a b"});
  EXPECT_EQ(answers[0]["label"], "c");
  EXPECT_EQ(answers[1]["label"], "b");
  EXPECT_EQ(answers[2]["error"], "line:1:10: the text ends inside '[LAST' at 1:1; expected ]");
}

TEST_F(TreesTask, DividesOneFileIntoThreeParts) {
  const std::string train = file("train", phrases(5, 400, Form::all));
  TrainedTask task("trees", settings(train));
  EXPECT_EQ(task.scores_on(Part::dev), task.scores);
  EXPECT_EQ(task.examples(), 40u);
  EXPECT_GT(task.scores_on(Part::test)["accuracy"], 0.5);
  EXPECT_EQ(task.examples(), 40u);
  task.scores_on(Part::train);
  EXPECT_EQ(task.examples(), 320u);

  const std::string test = file("test", phrases(6, 30, Form::all));
  TrainedTask with_test("trees", settings(train, {{"test", test}, {"epochs", 1}}));
  with_test.scores_on(Part::test);
  EXPECT_EQ(with_test.examples(), 30u);
  with_test.scores_on(Part::train);
  EXPECT_EQ(with_test.examples(), 360u);

  TrainedTask with_dev("trees", settings(train, {{"dev", test}, {"epochs", 1}}));
  EXPECT_EQ(error_of([&] { with_dev.scores_on(Part::test); }),
            "this run has no test part; give a file after the run, or train with --test FILE");
}

TEST_F(TreesTask, FoldsDivideTheTreesThatAreNotTested) {
  const std::string train = file("train", phrases(5, 100, Form::all));
  for (const int fold : {1, 2, 3}) {
    const auto task = read(settings(train, {{"folds", 3}, {"fold", fold}}));
    EXPECT_EQ(task->dev_size(), 30u);
    EXPECT_EQ(task->train_size(), 60u);
  }
  EXPECT_EQ(refusal(settings(train, {{"folds", 3}, {"dev", train}})),
            "--folds 3 divides one file; remove --dev " + train);
}

TEST_F(TreesTask, SummarisesItsData) {
  file("mine/train", "(yes (yes a) (no b))\n(no b)\n(_x c)\n");
  file("mine/dev", "(no d e)\n");
  EXPECT_EQ(read(settings("mine/train", {{"dev", "mine/dev"}}))->summary(),
            (std::vector<std::string>{"train: 3 trees, 5 nodes, 3 different words; labels at all nodes",
                                      "3 classes: _x: 1, no: 1, yes: 1",
                                      "dev: 1 trees, 3 nodes; 100.0 % of the words are unknown"}));
  const auto dropped = read(settings("mine/train", {{"dev", "mine/dev"}, {"labels", "_x="}}));
  EXPECT_EQ(dropped->summary()[0],
            "train: 2 trees, 4 nodes; 1 trees without a class dropped, 3 different words; labels at all nodes");
  EXPECT_EQ(
      read(settings("mine/train", {{"dev", "mine/dev"}, {"limit", 1}}))->summary(),
      (std::vector<std::string>{
          "train: 1 trees, 3 nodes; 2 trees left out by --limit, 3 different words in all trees; labels at all nodes",
          "3 classes: _x: 0, no: 0, yes: 1", "dev: 1 trees, 3 nodes; 100.0 % of the words are unknown"}));
  const auto divided = read(settings(file("train", phrases(5, 400, Form::roots))));
  EXPECT_TRUE(divided->summary()[0].ends_with("; labels at the root only")) << divided->summary()[0];
  EXPECT_EQ(divided->summary()[3], "test: 40 trees, for espalier eval --part test");
}

TEST_F(TreesTask, LabelsAreMergedAndDropped) {
  const std::string train = file("train", phrases(7, 600, Form::all));
  TrainedTask task("trees", settings(train, {{"labels", "-2=bad,-1=bad,0=,1=good,2=good"}}));
  EXPECT_GT(task.scores["accuracy"], 0.85);
  EXPECT_EQ(task.scores_again(), task.scores);
  const Json superb = answer(task, "(0 superb)");
  EXPECT_EQ(superb["label"], "good");
  EXPECT_EQ(superb["probabilities"].size(), 2u);
  EXPECT_EQ(superb["probabilities"].items().begin().key(), "bad") << "classes are in the order of their first label";

  EXPECT_EQ(refusal(settings(train, {{"labels", "2=x,2=y"}})), "--labels: the label '2' is given twice");
  EXPECT_EQ(refusal(settings(train, {{"labels", "good"}})),
            "--labels: 'good' is not LABEL=CLASS; needed pairs such as 0=negative,1=positive,2=");
  EXPECT_EQ(
      refusal(settings(train, {{"labels", "excellent=x"}})),
      "--labels: the training trees have no label 'excellent'; the nearest of 5 labels: '-2', '-1', '0', '1', '2'");
  EXPECT_EQ(refusal(settings(train, {{"labels", "-2=x,-1=x,0=x,1=x,2="}})),
            train + ": the trees have the single class 'x'; a classifier needs at least two classes");
}

TEST_F(TreesTask, BalancedClassesCountEqually) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::string(i % 10 == 0 ? "rare" : "often") + "\t( a b )\n";
  const std::string train = file("train", text);
  const auto rare = [&](const std::string& weights) {
    TrainedTask task("trees", settings(train, {{"class-weights", weights}, {"epochs", 4}}));
    return task.predict({"( a b )"})[0]["probabilities"]["rare"].get<double>();
  };
  EXPECT_LT(rare("none"), 0.25);
  EXPECT_GT(rare("balanced"), 0.35);
}

TEST_F(TreesTask, WordsMayBeReadInLowerCase) {
  const std::string train = file("train", phrases(8, 100, Form::all));
  TrainedTask lower("trees", settings(train, {{"lower-case", true}, {"epochs", 1}}));
  EXPECT_EQ(answer(lower, "(_ superb)"), answer(lower, "(_ SUPERB)"));
  EXPECT_NE(answer(lower, "(_ superb)"), answer(lower, "(_ unheard)"));
  TrainedTask as_written("trees", settings(train, {{"epochs", 1}}));
  EXPECT_NE(answer(as_written, "(_ superb)"), answer(as_written, "(_ SUPERB)"));
  EXPECT_EQ(answer(as_written, "(_ SUPERB)"), answer(as_written, "(_ unheard)")) << "both are unknown";
}

TEST_F(TreesTask, UnaryNodesOfPredictedTreesNeedNoneInTraining) {
  const std::string train = file("train", "(yes a)\n(no b)\n(yes (yes a) a)\n(no b (no b))\n");
  TrainedTask task("trees", settings(train, {{"dev", train}, {"epochs", 1}}));
  EXPECT_EQ(answer(task, "(_ a)"), answer(task, "(_ (_ (_ a)))"));
  EXPECT_EQ(answer(task, "")["error"], "line:1:1: the line is empty; expected a tree");
}

TEST_F(TreesTask, ErrorsNameWhatIsWrong) {
  const auto said = [&](const std::string& text, const Json& more = Json::object()) {
    const std::string train = file("train", text), message = refusal(settings(train, more));
    return message.starts_with(train) ? "train" + message.substr(train.size()) : message;
  };
  EXPECT_EQ(said(""), "train: there are no trees");
  EXPECT_EQ(said("(a b)\n(a c)\n"),
            "train: the trees have the single class 'a'; a classifier needs at least two classes");
  EXPECT_EQ(said("(a b)\n(b (c d)\n"), "train:3:1: the file ends inside the tree that begins in line 2");
  EXPECT_EQ(said("(a b)\n(_ d)\n"), "train:2:1: the root has no label; expected a label after (");
  EXPECT_EQ(said("a\tb\n( b c )\n"), "train:2:1: the tree has no label; expected LABEL, a tab and a tree");
  EXPECT_EQ(said("a\n", {{"format", "labels"}}), "train:1:1: 'a' outside a tree; expected (");
  EXPECT_EQ(said("(a b)\n(b c)\n", {{"fold", 2}}), "--fold 2 of 1 folds; must be 0 to 1");
  const std::string dev = file("dev", "(a b)\n\n(positiv b)\n");
  EXPECT_EQ(said("(a b)\n(positive c)\n", {{"dev", dev}}),
            dev + ":3:1: no training tree has the label 'positiv'; the nearest of 2 labels: 'a', 'positive'");
  EXPECT_EQ(refusal(Json::object()), "--train FILE is missing; it names the examples to train on");
  EXPECT_EQ(refusal({{"train", "/nowhere/trees.txt"}}), "there is no file /nowhere/trees.txt");
  EXPECT_EQ(refusal({{"train", "trees.txt"}, {"data", folder_.path()}}),
            "there is no file trees.txt in the working directory, " + folder_.path());
  EXPECT_EQ(error_of([&] { app::set_settings(*app::task_kind("trees").make(), {{"format", "root-only"}}); }),
            "format is \"root-only\"; must be one of auto, labels, root, listops");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
