// sequences: labelled texts and tagged sentences, in every format.
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"
#include "support/error_of.h"
#include "tasks/sequences/sequence_file.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using app::SequenceFormat;
using test::TrainedTask;

// A review praises if it has more good words than bad ones.
struct Review {
  std::string text;
  bool praises;
};
std::vector<Review> reviews(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Review> all;
  while (all.size() < n) {
    Review r;
    int sum = 0;
    for (uint32_t k = 3 + random() % 6; k > 0; --k) {
      constexpr const char* words[] = {"Great", "lovely", "awful", "dull", "film", "the", "plot,"};
      const size_t word = random() % 7;
      sum += word < 2 ? 1 : word < 4 ? -1 : 0;
      r.text += (r.text.empty() ? "" : " ") + std::string(words[word]);
    }
    r.praises = sum > 0;
    if (sum != 0) all.push_back(r);
  }
  return all;
}
std::string lines_of(size_t n, unsigned seed, const std::function<std::string(const Review&)>& line) {
  std::string text;
  for (const Review& r : reviews(n, seed)) text += line(r) + "\n";
  return text;
}
std::string tsv(const Review& r) { return (r.praises ? "good\t" : "bad\t") + r.text; }
std::string fasttext(const Review& r) { return (r.praises ? "__label__good " : "__label__bad ") + r.text; }
std::string csv(const Review& r) { return std::string("7,\"") + r.text + "\"," + (r.praises ? "good" : "bad"); }

Json settings(const std::string& train, const Json& more) {
  Json all{{"train", train},    {"dim", 8},     {"hidden", 8},  {"epochs", 12}, {"lr", 0.02},
           {"word-dropout", 0}, {"dropout", 0}, {"unknown", 0}, {"threads", 1}};
  all.update(more);
  return all;
}

TEST(SequencesTask, TextsInEveryFormat) {
  const test::DataFolder folder;
  folder.write("r.tsv", lines_of(300, 1, tsv));
  folder.write("r.txt", lines_of(300, 1, fasttext));
  folder.write("r.csv", "id,text,label\n" + lines_of(300, 1, csv));
  for (const std::string name : {"r.tsv", "r.txt", "r.csv"}) {
    Json more = Json::object();
    if (name == "r.csv") more = {{"text", "text"}, {"target", "label"}};
    TrainedTask task("sequences", settings(folder.path() + "/" + name, more));
    EXPECT_GT(task.scores["accuracy"], 0.85) << name;
    EXPECT_EQ(task.scores_again(), task.scores) << name;
    const auto answers = task.predict({"great lovely film", "dull, dull, DULL", "bad\tgreat lovely film", "  ",
                                       "__label__bad great lovely film", "wholly unknown words"});
    EXPECT_EQ(answers[0]["label"], "good") << name;
    EXPECT_EQ(answers[1]["label"], "bad") << name;
    if (name == "r.tsv") {
      EXPECT_EQ(answers[2]["label"], answers[0]["label"]) << "the label of the input is not read";
    }
    if (name == "r.txt") {
      EXPECT_EQ(answers[4]["label"], answers[0]["label"]) << "the label of the input is not read";
    }
    EXPECT_EQ(answers[3]["error"], "line:1:1: empty line; needed words") << name;
    EXPECT_TRUE(answers[5].contains("label")) << name;
  }
}

TEST(SequencesTask, ABagOfWordsAndNumbers) {
  const test::DataFolder folder;
  folder.write("r.tsv", lines_of(300, 1, [](const Review& r) { return (r.praises ? "4.5\t" : "1\t") + r.text; }));
  for (const std::string model : {"bilstm", "bag-of-words"}) {
    TrainedTask task("sequences",
                     settings(folder.path() + "/r.tsv", {{"model", model}, {"kind", "regression"}, {"threads", 2}}));
    EXPECT_LT(task.scores["rmse"], 1.2) << model << ": 1.75 for the mean";
    EXPECT_EQ(task.scores_again(), task.scores) << model;
    const auto answers = task.predict({"great great lovely", "dull dull awful"});
    EXPECT_GT(answers[0]["value"].get<double>(), answers[1]["value"].get<double>() + 1) << model;
  }
}

// Names follow "mr"; places are capitalised.
std::string names(size_t n, unsigned seed,
                  const std::function<std::string(const std::string&, const std::string&)>& token,
                  const std::string& end) {
  std::mt19937 random(seed);
  const auto name = [&](char first) {
    std::string made{first};
    for (int i = 0; i < 4; ++i) made += static_cast<char>('a' + random() % 26);
    return made;
  };
  std::string text;
  for (size_t s = 0; s < n; ++s) {
    for (uint32_t i = 2 + random() % 3; i > 0; --i) {
      if (random() % 3 == 0)
        text += token("mr", "O") + token(name('p'), "B-PER");
      else if (random() % 2 == 0)
        text += token(name('L'), "B-LOC");
      else
        text += token("w" + std::to_string(random() % 20), "O");
    }
    text += token(".", "O") + end;
  }
  return text;
}

TEST(SequencesTask, TagsInEveryFormat) {
  const auto bar = [](const std::string& word, const std::string& tag) { return word + "|" + tag + " "; };
  const auto row = [](const std::string& word, const std::string& tag) { return word + "\tX\t" + tag + "\n"; };
  const auto pair = [](const std::string& word, const std::string& tag) { return word + " " + tag + "\n"; };
  const test::DataFolder folder;
  folder.write("bars.txt", names(300, 1, bar, "\n"));
  folder.write("rows.txt", "# a comment\n" + names(300, 1, row, "\n"));
  folder.write("pairs.txt", "-DOCSTART- O\n\n" + names(300, 1, pair, "\n"));
  for (const std::string name : {"bars.txt", "rows.txt", "pairs.txt"}) {
    TrainedTask task("sequences", settings(folder.path() + "/" + name,
                                           {{"metric", "f1"}, {"unknown", 0.5}, {"filters", 8}, {"letter-dim", 4}}));
    EXPECT_GT(task.scores["F1"], 0.9) << name;
    EXPECT_EQ(task.scores.begin().key(), "F1") << name;
    EXPECT_EQ(task.scores_again(), task.scores) << name;
    const std::string words = name == "bars.txt" ? "mr pabcd w1 Lxyzw ." : "mr\npabcd\nw1\nLxyzw\n.\n";
    const std::string tagged =
        name == "bars.txt" ? "mr|O pabcd|B-LOC w1|O Lxyzw|O .|O" : "mr O\npabcd O\nw1 O\nLxyzw O\n. O\n";
    const auto answers = task.predict({words, tagged});
    EXPECT_EQ(answers[0].dump(), R"({"tags":["O","B-PER","O","B-LOC","O"]})") << name;
    EXPECT_EQ(answers[1], answers[0]) << name << ": tags of the input are not read";
  }
}

TEST(SequencesTask, SaysWhatItSaw) {
  const test::DataFolder folder;
  folder.write("r.tsv", lines_of(200, 1, tsv));
  const auto task = app::task_kind("sequences").make();
  app::set_settings(*task, settings(folder.path() + "/r.tsv", Json::object()));
  task->read();
  const std::vector<std::string> lines = task->summary();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], folder.path() + "/r.tsv, format tsv: train 160, dev 20, test 20 texts");
  EXPECT_NE(lines[1].find("vocabulary of 8"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].substr(0, 17), "  2 classes: bad:");
}

TEST(SequencesTask, ErrorsNameFileLineAndColumn) {
  const test::DataFolder folder;
  const std::string file = folder.path() + "/t";
  const auto error = [&](const std::string& text, const Json& more = Json::object()) {
    folder.write("t", text);
    return test::error_of([&] { TrainedTask("sequences", settings(file, more)); });
  };
  EXPECT_EQ(error(""), file + ": holds no examples");
  EXPECT_EQ(error("just some words\nand more\n"),
            file +
                ":1:1: the format is unknown; expected one of: LABEL TAB text, __label__LABEL text, word|tag word|tag, "
                "one word and its tag per line with empty lines between sentences, or a .csv file with --text and "
                "--target");
  EXPECT_EQ(error("a\tx y\nno tab\n"), file + ":2:1: the line has no tab; expected LABEL TAB text");
  EXPECT_EQ(error("a\tx y\n\tz\n"), file + ":2:1: the label before the tab is empty; expected LABEL TAB text");
  EXPECT_EQ(error("__label__a x\ny\n"), file + ":2:1: the line has no label; expected __label__LABEL text");
  EXPECT_EQ(error("__label__a x\n__label__a __label__b y\n"), file + ":2:12: a second label; a text has one label");
  EXPECT_EQ(error("x|A y|B\nx|A y z|B\n"), file + ":2:5: 'y' has no tag; expected word|tag");
  EXPECT_EQ(error("x A\n\ny\n", {{"format", "conll"}}), file + ":3:1: 'y' has no tag; expected a word and its tag");
  EXPECT_EQ(error("id,text\n1,a\n", {{"text", "text"}}),
            "--target COLUMN is missing; the columns of " + file + ": id, text");
  EXPECT_EQ(error("id,text\n1,a\n", {{"text", "text"}, {"target", "label"}}),
            file + ": no column 'label'; the table has 'id', 'text'");
  EXPECT_EQ(error("a\tx\na\ty\na\tz\n"),
            file + ": the training examples have the single class 'a'; a classifier needs at least two classes");
  EXPECT_EQ(error(names(
                      20, 1, [](const std::string& w, const std::string&) { return w + "|O "; }, "\n"),
                  {{"metric", "f1"}, {"epochs", 1}}),
            "--metric f1 needs IOB tags such as B-PER, I-PER and O; there are none");
  for (const auto& [flag, value] :
       {std::pair("kind", "regression"), std::pair("class-weights", "balanced"), std::pair("model", "bag-of-words")})
    EXPECT_EQ(error("x|A y|B\nx|A y|B\n", {{flag, value}}),
              "--" + std::string(flag) + " " + value + " needs one label per text; " + file + " has one per word");
  EXPECT_EQ(error("x A\n\ny C B\n", {{"format", "conll"}}), file + ":3:1: 3 columns; the first line has 2");
  EXPECT_EQ(error("a\tx\nb\ty\n", {{"target", "a"}, {"format", "tsv"}}),
            "--text and --target name columns of a CSV file; " + file + " has the format tsv");
}

TEST(SequenceFile, DetectsFormats) {
  const test::DataFolder folder;
  const auto format = [&](const std::string& text) {
    folder.write("f", text);
    return name(app::detect_format(folder.path() + "/f"));
  };
  EXPECT_EQ(format("a\tx\nb\ty\n\n"), "tsv") << "an empty line at the end";
  EXPECT_EQ(format("a\tx\nb\ty\n\nc\tz\n"), "conll");
  EXPECT_EQ(format("# sent\nEU B-ORG\n\nx O\n"), "conll");
  EXPECT_EQ(format("a\tx\n\nb\n"), "conll") << "a word without a tag is an error of this format";
  EXPECT_EQ(format("a|b c|d\n\na|b\n"), "tagged");
  EXPECT_EQ(format("\n__label__a b\n"), "fasttext");
  EXPECT_EQ(format("__label__a b\n\n__label__b c\n"), "fasttext") << "an empty line between texts";
  EXPECT_EQ(format("a\tb c d\n\nb\te\n"), "tsv") << "the lines have different numbers of words";
}

TEST(SequenceFile, CutsTextsIntoWords) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(app::words_in("It's good, isn't it?!"), (Words{"It's", "good", ",", "isn't", "it", "?", "!"}));
  EXPECT_EQ(app::words_in("na\xc3\xafve \t caf\xc3\xa9\n3.5%"),
            (Words{"na\xc3\xafve", "caf\xc3\xa9", "3", ".", "5", "%"}));
  EXPECT_EQ(app::words_in(" \x01\x7f "), Words{"\x7f"});
  EXPECT_EQ(app::words_in(""), Words{});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
