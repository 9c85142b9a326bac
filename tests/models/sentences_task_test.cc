// parser, tagger, tagger-char and lm: each trained on a synthetic language, saved, loaded and used for prediction.
#include <array>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "io/folder.h"
#include "models/trained_task.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

// A file of a data folder.
std::ofstream file_in(const io::Folder& folder, const std::string& name) {
  const std::filesystem::path path = folder / name;
  std::filesystem::create_directories(path.parent_path());
  return std::ofstream(path);
}

using Random = std::mt19937;
int below(Random& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

// ---- trees: the head of a determiner or adjective is its noun, that of a noun is the verb, before or after it

struct Row {
  std::string form, tag, label;
  int head;
};

void add_phrase(Random& random, std::vector<Row>& rows, int verb, const std::string& label) {
  const int adjectives = below(random, 3), noun = static_cast<int>(rows.size()) + adjectives + 2;
  rows.push_back({"the", "DET", "det", noun});
  for (int i = 0; i < adjectives; ++i) rows.push_back({"a" + std::to_string(below(random, 9)), "ADJ", "amod", noun});
  rows.push_back({"n" + std::to_string(below(random, 20)), "NOUN", label, verb});
}

std::vector<Row> made_sentence(Random& random) {
  std::vector<Row> rows;
  add_phrase(random, rows, 0, "nsubj");
  const int verb = static_cast<int>(rows.size()) + 1;
  rows.back().head = verb;
  rows.push_back({"v" + std::to_string(below(random, 9)), "VERB", "root", 0});
  if (below(random, 2) == 0) add_phrase(random, rows, verb, "obj");
  rows.push_back({".", "PUNCT", "punct", verb});
  return rows;
}

void write_trees(std::ofstream file, unsigned seed, int sentences) {
  Random random(seed);
  for (int s = 0; s < sentences; ++s) {
    int number = 0;
    for (const Row& r : made_sentence(random))
      file << ++number << '\t' << r.form << "\t_\t" << r.tag << "\tX\t_\t" << r.head << '\t' << r.label << "\t_\t_\n";
    file << '\n';
  }
}

TEST(ParserTask, LearnsALanguageWithEitherOracle) {
  const io::Folder folder;
  write_trees(file_in(folder, "ud_english_ewt/en_ewt-ud-train.conllu.gz"), 1, 300);
  write_trees(file_in(folder, "ud_english_ewt/en_ewt-ud-dev.conllu"), 2, 50);
  for (const std::string oracle : {"static", "dynamic"}) {
    TrainedTask task("parser", {{"data", folder / ""},
                                {"oracle", oracle},
                                {"tags", "upos"},
                                {"epochs", 4},
                                {"lr", 0.02},
                                {"batch", 16},
                                {"word-dim", 8},
                                {"tag-dim", 8},
                                {"hidden", 12},
                                {"layer", 16},
                                {"layers", 1},
                                {"word-dropout", 0.1},
                                {"dropout", 0.1}});
    EXPECT_GT(task.scores["LAS"], 0.98) << oracle;
    EXPECT_GE(task.scores["UAS"], task.scores["LAS"]) << oracle;
    EXPECT_EQ(task.scores_again(), task.scores) << oracle;

    const auto answers =
        task.predict({"the|DET new|ADJ n3|NOUN v1|VERB .|PUNCT", "the|DET n3 v1|VERB", "", "a|b|VERB"});
    EXPECT_EQ(answers[0].dump(), R"({"heads":[3,3,4,0,4],"labels":["det","amod","nsubj","root","punct"]})") << oracle;
    EXPECT_EQ(answers[1].dump(), R"({"error":"line:1:9: 'n3' has no tag; needed word|tag"})");
    EXPECT_EQ(answers[2].dump(), R"({"error":"line:1:1: empty line; needed words separated by spaces"})");
    EXPECT_EQ(answers[3].dump(), R"({"heads":[0],"labels":["root"]})");
  }
}

// ---- names: persons follow "mr", in any case; places are capitalised; all other words are in lower case

void write_names(std::ofstream file, unsigned seed, int sentences) {
  Random random(seed);
  const auto name = [&](char first) {
    std::string made{first};
    for (int i = 0; i < 4; ++i) made += static_cast<char>('a' + below(random, 26));
    return made;
  };
  for (int s = 0; s < sentences; ++s) {
    for (int i = 3 + below(random, 4); i > 0; --i) {
      if (below(random, 3) == 0)
        file << "mr|O " << name('p') << "|I-PER " << name('q') << "|I-PER ";
      else if (below(random, 2) == 0)
        file << name('L') << "|I-LOC ";
      else
        file << "w" << below(random, 20) << "|O ";
    }
    file << ".|O\n";
  }
}

TEST(TaggerTask, FindsNames) {
  const io::Folder folder;
  write_names(file_in(folder, "wikiner/train.txt"), 1, 300);
  write_names(file_in(folder, "wikiner/dev.txt"), 2, 60);
  for (const std::string name : {"tagger", "tagger-char"}) {
    Json settings{{"data", folder / ""}, {"vectors", "none"}, {"word-lr", 1},   {"epochs", 4},
                  {"lr", 0.02},          {"dim", 8},          {"shape-dim", 4}, {"hidden", 12}};
    if (name == "tagger-char") settings.update({{"letter-dim", 6}, {"filters", 8}});
    TrainedTask task(name, settings);
    EXPECT_GT(task.scores["accuracy"], 0.98) << name;
    EXPECT_GT(task.scores["F1"], 0.95) << name;
    EXPECT_EQ(task.scores_again(), task.scores) << name;

    const auto answers = task.predict({"mr pabcd qefgh w1 Lxyzw .", " "});
    EXPECT_EQ(answers[0].dump(), R"({"tags":["O","I-PER","I-PER","O","I-LOC","O"]})") << name;
    EXPECT_EQ(answers[1].dump(), R"({"error":"line:1:1: empty line; needed words"})");
  }
}

// ---- text: a b c d e, repeated, from any start

TEST(LanguageModelTask, KnowsWhatComesNext) {
  const io::Folder folder;
  {
    std::ofstream file = file_in(folder, "text/train.txt");
    Random random(1);
    for (int s = 0; s < 400; ++s) {
      const int first = below(random, 5);
      for (int i = 0; i < 5; ++i) file << "abcde"[(first + i) % 5] << ' ';
      file << '\n';
    }
  }
  TrainedTask task("lm",
                   {{"data", folder / ""}, {"epochs", 10}, {"lr", 0.02}, {"dim", 8}, {"hidden", 16}, {"dropout", 0.1}});
  EXPECT_LT(task.scores["perplexity"], 1.5);  // the optimum is 5^(1/6) = 1.31: only the first of six words is random
  EXPECT_GT(task.scores["perplexity"], 1.3);
  EXPECT_EQ(task.scores_again(), task.scores);

  const auto answers = task.predict({"c d e a b", "c a", "b c …", ""});
  EXPECT_LT(answers[0]["perplexity"], 1.6);
  EXPECT_GT(answers[1]["perplexity"], 3);
  EXPECT_LT(answers[1]["log_probability"], answers[0]["log_probability"]);
  EXPECT_EQ(answers[2].dump(), R"({"text":"b c d e a"})");
  EXPECT_EQ(answers[3].dump(), R"({"error":"line:1:1: empty line; needed words separated by spaces"})");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
