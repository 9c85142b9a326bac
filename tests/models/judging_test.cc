// Metrics of tasks, and the data they reject. Little is trained here; most tests read data and evaluate.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "io/folder.h"
#include "models/data_folder.h"
#include "models/trained_task.h"
#include "support/error_of.h"
#include "tasks/examples/hold_out.h"
#include "tasks/metrics/correlation.h"
#include "tasks/metrics/roc_auc.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::error_of;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::unique_ptr<app::TrainingTask> made(const std::string& name, const Json& settings = Json::object()) {
  auto task = app::task_kind(name).make();
  app::set_settings(*task, settings);
  return task;
}

std::string written(const test::DataFolder& folder, const std::string& name, const std::string& text) {
  folder.write(name, text);
  return folder.path() + "/" + name;
}

// The error for an evaluation file, without the file name.
std::string refusal(const std::string& task, const std::string& text) {
  const test::DataFolder folder;
  const std::string path = written(folder, "judged", text);
  const std::string said = error_of([&] { made(task)->read_dev(path); });
  return said.starts_with(path + ":") ? said.substr(path.size() + 1) : said;
}

// ---- metrics

TEST(Confusion, HasNoPlaceForAClassThatIsNone) {
  app::Confusion confusion(3);
  EXPECT_TRUE(std::isnan(confusion.accuracy()));
  EXPECT_EQ(error_of([&] { confusion.add(-1, 0); }), "Confusion: class -1 of 3");
  EXPECT_EQ(error_of([&] { confusion.add(0, 3); }), "Confusion: class 3 of 3");
  confusion.add(2, 2);
  EXPECT_EQ(confusion.accuracy(), 1);
}

TEST(Measures, AreNaNWhereAScoreIs) {
  const std::vector<float> x{1, 2, nan, 4}, y{1, 2, 3, 4};
  EXPECT_TRUE(std::isnan(app::spearman(x, y)));
  EXPECT_TRUE(std::isnan(app::spearman(y, x)));
  EXPECT_TRUE(std::isnan(app::pearson(x, y)));
  EXPECT_TRUE(std::isnan(app::roc_auc({{0.1f, false}, {nan, true}, {0.3f, true}}).value()));
}

TEST(HoldOut, LeavesTheRestShuffled) {
  std::vector<int> sorted(1000);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::vector<int> kept = sorted, again = sorted;
  std::vector<int> all = app::hold_out(kept, 100);
  EXPECT_EQ(all.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(app::hold_out(again, 100), all);
  EXPECT_EQ(again, kept);
  const auto high = std::count_if(kept.begin(), kept.begin() + 100, [](int i) { return i >= 500; });
  EXPECT_GT(high, 30);
  EXPECT_LT(high, 70);
  all.insert(all.end(), kept.begin(), kept.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, sorted);

  std::vector<int> few{1, 2, 3, 4}, none;
  EXPECT_TRUE(app::hold_out(few, 2).empty()) << "a fifth at most";
  EXPECT_EQ(few.size(), 4u);
  EXPECT_TRUE(app::hold_out(none, 2).empty());
}

// ---- invalid evaluation files

TEST(ArithmeticTask, RefusesWhatIsNoLabelAndWhatWasNeverLearned) {
  EXPECT_EQ(refusal("arithmetic", "1 + 1\n9 + 9\n"), "2:1: the value 18 is not a label; needed -10 … 10");
  EXPECT_EQ(refusal("arithmetic", "2 * 3\n"), "1:1: unknown operator '*'; needed + or -");
  EXPECT_EQ(refusal("arithmetic", "9 + 9 - 9\n"), "no error") << "a part may be worth more";

  test::TrainedTask task("arithmetic", {{"generate", 60}, {"epochs", 1}, {"hidden", 4}, {"dim", 4}});
  const auto answers = task.predict({"-9 - 9", "1 - 2 * 0", "", "9 + 9 - 9"});
  EXPECT_EQ(answers[0]["error"], "line:1:1: the value -18 is not a label; needed -10 … 10");
  EXPECT_EQ(answers[1]["error"], "line:1:1: unknown operator '*'; needed + or -");
  EXPECT_EQ(answers[2]["error"],
            "line:1:1: empty line; needed an expression such as ( + ( ( - ( 7 8 ) ) -9 ) ) or 7 - 8 + -9");
  EXPECT_EQ(answers[3]["probabilities"].size(), 21u);
}

TEST(LanguageIdTask, RefusesTextsWithoutTheirLanguage) {
  EXPECT_EQ(
      refusal("language-id", "Kalosi\tkalosi\nkalosi\n"),
      "2:1: label is missing; needed a language, a tab and a text; languages: Kalosi, Akolis, Ktasno, Kaaloo, Strendt, "
      "Nyauri");
}

TEST(ImagesTask, RefusesImagesWithoutTheirDigit) {
  std::string blank = "0";
  for (int i = 1; i < 784; ++i) blank += " 0";
  EXPECT_EQ(refusal("images", "3\t" + blank + "\n" + blank + "\n"),
            "2:1: label is missing; needed a digit, a tab and the pixels");
}

TEST(ParserTask, RefusesSentencesWithoutTheirTree) {
  const std::string good = "1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n";
  EXPECT_EQ(refusal("parser", good + "1\tGo\t_\tVERB\tVB\t_\t_\t_\t_\t_\n\n"),
            "4:1: 'Go' of the sentence above needs a head and a relation");
  EXPECT_EQ(refusal("parser", good + "1\tGo\t_\tVERB\tVB\t_\t0\t_\t_\t_\n"),
            "4:1: 'Go' of the sentence above needs a head and a relation");

  const test::DataFolder folder;
  const std::string train =
      written(folder, "ud_english_ewt/en_ewt-ud-train.conllu.gz", "1\tGo\t_\tX\tX\t_\t_\t_\t_\t_\n");
  EXPECT_EQ(error_of([&] { made("parser", {{"data", folder.path()}})->read(); }),
            train + ":2:1: 'Go' of the sentence above needs a head and a relation");
}

// ---- scores

TEST(ParserTask, MakesTreesOfScoresThatAreNoNumbers) {
  const test::DataFolder folder;
  const std::string trees =
      "1\tDogs\t_\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\trun\t_\tVERB\tVBP\t_\t0\troot\t_\t_\n"
      "3\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n";
  folder.write("ud_english_ewt/en_ewt-ud-train.conllu.gz", trees);
  folder.write("ud_english_ewt/en_ewt-ud-dev.conllu", trees);
  const auto task = made("parser", {{"data", folder.path()}, {"oracle", "dynamic"}, {"explore", 1}, {"hidden", 4}});
  task->read();
  Parameters params;
  task->build(params);
  Parameter bias = params["bias"];
  bias.assign({bias.shape(), std::vector<float>(bias.value().size(), nan)});
  Engine engine({.threads = 1});
  const double uas = task->evaluate(engine).scores[1].second;
  EXPECT_TRUE(uas >= 0 && uas <= 1) << uas;
  EXPECT_EQ(task->record(engine, {{0}, 1}).results[0].size(), 6u) << "twice as many moves as words";
}

TEST(EntailmentTask, AllDecideWhereNoneIsShortEnough) {
  const test::DataFolder folder;
  const std::string path = written(folder, "pairs",  // one of every relation
                                   "( a ( and b ) )\t( b ( and a ) )\na\t( not a )\n( a ( and b ) )\ta\n"
                                   "a\t( a ( and b ) )\n( a ( and b ) )\t( not a )\n( a ( or b ) )\t( not a )\n"
                                   "a\t( not b )\n");
  const auto task = made("entailment", {{"max-length", 0}});
  task->read_dev(path);
  Parameters params;
  task->build(params);
  Engine engine({.threads = 1});
  const app::Evaluation e = task->evaluate(engine);
  ASSERT_EQ(e.scores.size(), 1u);
  ASSERT_EQ(e.breakdowns.size(), 1u);
  EXPECT_EQ(e.breakdowns[0].name, "accuracy by length in operators");
  EXPECT_EQ(e.breakdowns[0].scores, (app::NamedScores{{"1", e.scores[0].second}})) << "no other length has examples";
  EXPECT_GT(e.scores[0].second, 0);
}

TEST(TaggerTask, ANameOfAKindThatWasNeverMetIsMissed) {
  const test::DataFolder folder;
  folder.write("wikiner/train.txt", "a|I-PER\n");
  folder.write("wikiner/dev.txt", "a|I-PER\nb|I-NEW\n");
  const auto task = made("tagger", {{"data", folder.path()}, {"vectors", "none"}, {"dim", 4}, {"hidden", 4}});
  task->read();
  Parameters params;
  task->build(params);
  Engine engine({.threads = 1});
  const app::Evaluation e = task->evaluate(engine);  // I-PER is the only tag it can predict
  EXPECT_EQ(e.scores[0], std::pair(std::string("accuracy"), 0.5));
  EXPECT_EQ(e.scores[1], std::pair(std::string("F1"), 0.5)) << "one of two names, and one of two found";
  EXPECT_EQ(e.confusion, (std::vector<std::vector<uint64_t>>{{1}}));
}

// ---- trainings whose metric is undefined

TEST(Trainer, NeedsExamplesToBeJudgedOn) {
  const test::DataFolder folder;
  folder.write("arithmetic/simple7_100k.tsv.gz", "2\t1 + 1\n3\t1 + 2\n");
  EXPECT_EQ(error_of([&] { test::TrainedTask("arithmetic", {{"data", folder.path()}}); }),
            "arithmetic: there are no examples to evaluate on");
}

TEST(Trainer, SaysThatNoEpochWasTheBest) {
  const test::DataFolder folder;
  for (const std::string part : {"train", "dev"}) {  // all pairs are equally related: the correlation is undefined
    for (const std::string side : {"a", "b"}) {
      folder.write("sick/" + part + "/" + side + ".toks", "dogs run\ncats run\n");
      folder.write("sick/" + part + "/" + side + ".parents", "2 0\n2 0\n");
    }
    folder.write("sick/" + part + "/sim.txt", "3\n3\n");
  }
  const auto task =
      made("relatedness", {{"data", folder.path()}, {"vectors", "none"}, {"dim", 4}, {"hidden", 4}, {"epochs", 2}});
  task->read();
  const io::Folder runs;
  app::RunFolder run(runs / "run", app::RunFolder::Begin::over);
  app::Trainer trainer(app::task_kind("relatedness"), *task, run, true);
  trainer.begin();
  EXPECT_EQ(
      error_of([&] { trainer.run(); }),
      "relatedness: the pearson on dev was not finite in any epoch, so there is no best checkpoint; the last is " +
          run.last());
  EXPECT_TRUE(std::filesystem::exists(run.last()));
  EXPECT_FALSE(std::filesystem::exists(run.best()));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
