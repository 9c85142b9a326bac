// The general tasks as a user runs them: train on a file of one's own, evaluate the test part, predict from files.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <zlib.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/program.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

// A folder with files and runs.
struct Files {
  io::Folder folder;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  Ran train(const std::vector<std::string>& what, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"train"};
    all.insert(all.end(), what.begin(), what.end());
    for (const char* flag : {"--epochs", "2", "--threads", "1", "--hidden", "8", "--out"}) all.emplace_back(flag);
    all.push_back(folder / "run");
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

std::string reviews(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += i % 3 == 0 ? "bad\tdull film\n" : "good\ta great, lovely film\n";
  return text;
}

TEST(OwnData, TextsFromTrainingToPrediction) {
  const Files files;
  const std::string tsv = files.write("reviews.tsv", reviews(100));
  const Ran trained = files.train({"sequences", "--train", tsv});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto said = lines_of(trained.err);
  ASSERT_GT(said.size(), 3u);
  EXPECT_EQ(said[0], tsv + ", format tsv: train 80, dev 10, test 10 texts");
  EXPECT_EQ(said[1].substr(said[1].find(';')), "; vocabulary of 6");
  EXPECT_EQ(said[2].substr(0, 16), "  2 classes: bad");
  EXPECT_TRUE(Json::parse(trained.out).at("dev").contains("accuracy"));

  const Ran tested = run({"eval", files.folder / "run", "--part", "test"});
  ASSERT_EQ(tested.status, 0) << tested.err;
  EXPECT_EQ(Json::parse(tested.out).at("examples"), 10);
  EXPECT_EQ(Json::parse(tested.out).at("part"), "test");
  EXPECT_EQ(Json::parse(run({"eval", files.folder / "run", tsv}).out).at("examples"), 100);

  std::filesystem::remove(tsv);  // the checkpoint suffices
  const Ran predicted = run({"predict", files.folder / "run"}, {.in = "great film\n\ngood\tdull\n"});
  const auto answers = lines_of(predicted.out);
  EXPECT_EQ(predicted.status, 1);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(Json::parse(answers[0]).at("probabilities").contains("bad"));
  EXPECT_EQ(answers[1], R"({"error":"line:2:1: empty line; needed words","line":2})");
}

TEST(OwnData, CsvKeepsIdsAndOrder) {
  const Files files;
  std::string rows = "Id,text,score\n";
  for (int i = 0; i < 60; ++i)
    rows += "x" + std::to_string(i) + ",\"word, w" + std::to_string(i % 5) + "\"," + std::to_string(i % 5) + "\n";
  const std::string csv = files.write("t.csv", rows);
  const Ran trained =
      files.train({"sequences", "--train", csv, "--text", "text", "--target", "score", "--kind", "regression"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Ran predicted = run({"predict", files.folder / "run", csv, "--csv", "--batch", "7"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 61u);
  EXPECT_EQ(answers[0], "id,value,error,line");
  for (int i = 0; i < 60; ++i)
    EXPECT_TRUE(answers[static_cast<size_t>(i) + 1].starts_with("x" + std::to_string(i) + ",")) << i;
}

// Reads like the training file: compressed, with a byte order mark.
TEST(OwnData, PredictReadsWhatTrainReads) {
  const Files files;
  const std::string tsv = files.write("reviews.tsv", reviews(60));
  ASSERT_EQ(files.train({"sequences", "--train", tsv}).status, 0);
  const std::string plain = run({"predict", files.folder / "run", tsv}).out;
  EXPECT_EQ(lines_of(plain).size(), 60u);
  const std::string marked = files.write("marked.tsv", "\xef\xbb\xbf" + reviews(60));
  EXPECT_EQ(run({"predict", files.folder / "run", marked}).out, plain);
  const std::string zipped = files.folder / "zipped.tsv.gz";
  gzFile out = gzopen(zipped.c_str(), "wb");
  const std::string text = reviews(60);
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(run({"predict", files.folder / "run", zipped}).out, plain);
  const std::string csv = files.write("t.csv", "text\nfine\n");
  EXPECT_EQ(run({"predict", files.folder / "run", csv}).err,
            "espalier: " + csv + ": the model was not trained on CSV, and reads none\n");
}

TEST(OwnData, ACsvWithoutTheColumnIsRefused) {
  const Files files;
  const std::string csv = files.write(
      "t.csv", "id,review,stars\n" + [] {
        std::string rows;
        for (int i = 0; i < 40; ++i)
          rows += std::to_string(i) + ",w" + std::to_string(i % 4) + "," + std::to_string(i % 2) + "\n";
        return rows;
      }());
  ASSERT_EQ(files.train({"sequences", "--train", csv, "--text", "review", "--target", "stars"}).status, 0);
  const std::string other = files.write("other.csv", "id,text\n1,w1\n");
  const Ran r = run({"predict", files.folder / "run", other});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "espalier: " + other + ": no column 'review'; the table has 'id', 'text'\n");
}

// The division of a file that has changed would move examples between the parts.
TEST(OwnData, AChangedTrainingFileIsRefused) {
  const Files files;
  ASSERT_EQ(files.train({"sequences", "--train", files.write("same.tsv", reviews(60))}).status, 0);
  files.write("same.tsv", "good\tdull film\n" + reviews(60).substr(14));  // one label, not the number of examples
  EXPECT_EQ(run({"train", "sequences", "--out", files.folder / "run", "--resume", "--epochs", "3", "--quiet"}).err,
            "espalier: the data differ from those of the run in " + (files.folder / "run") +
                ": 'training file' has changed\n");
  const std::string tsv = files.write("reviews.tsv", reviews(60)), trees = files.write("trees.txt", [] {
    std::string all;
    for (int i = 0; i < 40; ++i) all += i % 2 == 0 ? "(good fine)\n" : "(bad dull)\n";
    return all;
  }());
  for (const auto& [task, file] : {std::pair("sequences", tsv), std::pair("trees", trees)}) {
    ASSERT_EQ(files.train({task, "--train", file}, {"--force"}).status, 0);
    EXPECT_EQ(run({"eval", files.folder / "run", "--part", "test"}).status, 0);
    std::ofstream(file, std::ios::app) << (file == tsv ? "good\tnew\n" : "(good new)\n");
    const std::string expected = "espalier: " + file +
                                 ": the file has changed since the run began, and with it the "
                                 "division into train, dev and test; restore it, or train again\n";
    EXPECT_EQ(run({"eval", files.folder / "run", "--part", "test"}).err, expected);
    const Ran resumed = run({"train", task, "--out", files.folder / "run", "--resume", "--epochs", "3", "--quiet"});
    EXPECT_EQ(resumed.status, 1);
    EXPECT_EQ(resumed.err, "espalier: the data differ from those of the run in " + (files.folder / "run") +
                               ": 'training file' has changed\n");
  }
}

TEST(OwnData, TaggedSentencesInBlocks) {
  const Files files;
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += "the\tDET\ncat\tNOUN\nsat\tVERB\n\n";
  const std::string conll = files.write("t.conll", rows);
  const Ran trained = files.train({"sequences", "--train", conll, "--quiet"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(trained.err, "");
  const Ran predicted = run({"predict", files.folder / "run"}, {.in = "the\ncat\n\nsat\tVERB\n"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(Json::parse(answers[0]).at("tags").size(), 2u);
  EXPECT_EQ(Json::parse(answers[1]).at("tags").size(), 1u);
}

TEST(OwnData, ColumnsOfCoNllU) {
  const Files files;
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows +=
        "# newdoc\n# text = the cat\n1-2\tthecat\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No\n\n";
  const std::string conllu = files.write("t.conllu", rows);
  const Ran trained = files.train({"sequences", "--train", conllu});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(lines_of(trained.err).at(0),
            conllu + ", format conll, columns FORM,UPOS: train 32, dev 4, test 4 sentences");
  EXPECT_EQ(lines_of(trained.err).at(2), "  2 tags: DET: 32, NOUN: 32");
  EXPECT_EQ(Json::parse(run({"eval", files.folder / "run", conllu}).out).at("examples"), 40);
  const Ran predicted =
      run({"predict", files.folder / "run"}, {.in = rows.substr(0, rows.size() / 40) + "cat\n\na b\n"});
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 3u) << predicted.out;
  EXPECT_EQ(Json::parse(answers[0]).at("tags").size(), 2u);
  EXPECT_EQ(Json::parse(answers[1]).at("tags").size(), 1u);
  EXPECT_EQ(
      answers[2],
      R"({"error":"line:9:1: 2 columns; expected the word alone, or the 10 columns of the training file","line":9})");

  const Ran chosen = files.train({"sequences", "--train", conllu, "--columns", "LEMMA,5"}, {"--force"});
  EXPECT_EQ(lines_of(chosen.err).at(0),
            conllu + ", format conll, columns LEMMA,XPOS: train 32, dev 4, test 4 sentences");
  const auto error = [&](const std::string& columns, const std::string& file) {
    return files.train({"sequences", "--train", file, "--columns", columns}, {"--force"}).err;
  };
  EXPECT_EQ(error("FORM,UPO", conllu),
            "espalier: --columns: there is no column 'UPO'; " + conllu +
                " has 10 columns, those of CoNLL-U; the nearest names: 'UPOS', 'XPOS', 'ID', 'DEPS', 'FORM'\n");
  EXPECT_EQ(error("1", conllu),
            "espalier: --columns 1: needed two columns, of the words and of the tags, such as "
            "FORM,UPOS or 1,2; " +
                conllu + " has 10 columns, those of CoNLL-U\n");
  const std::string conll = files.write("t.conll", "a A X\nb B X\n\nc C X\n");
  EXPECT_EQ(error("1,4", conll), "espalier: --columns: there is no column '4'; " + conll + " has 3 columns\n");
  EXPECT_EQ(error("1,2", files.write("r.tsv", reviews(60))),
            "espalier: --columns 1,2 chooses columns of the format conll; " + (files.folder / "r.tsv") +
                " has the format tsv\n");
}

TEST(OwnData, RecordsAndFolds) {
  const Files files;
  Json all = Json::array();
  for (int i = 0; i < 60; ++i) all.push_back({{"id", i}, {"n", i % 6}, {"out", {{"y", 2 * (i % 6)}}}});
  const std::string json = files.write("r.json", all.dump(1));
  const Ran trained =
      files.train({"records", "--json", json, "--target", "out.y", "--kind", "regression", "--folds", "3"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Json result = Json::parse(trained.out);
  EXPECT_EQ(result.at("folds"), 3);
  EXPECT_TRUE(result.at("dev").at("rmse").contains("mean"));
  EXPECT_TRUE(result.at("dev").at("rmse").contains("sd"));
  EXPECT_EQ(run({"eval", files.folder / "run"}).err, "espalier: " + (files.folder / "run") +
                                                         " holds the runs of a cross-validation; choose one, such as " +
                                                         (files.folder / "run") + "/fold-1\n");
  const Ran resumed = run({"train", "records", "--out", files.folder / "run", "--resume"});
  EXPECT_EQ(resumed.err, "espalier: " + (files.folder / "run") +
                             " holds the runs of a cross-validation; continue it with the --folds of its training and "
                             "--resume\n");
  EXPECT_EQ(run({"report", files.folder / "run"}).err,
            "espalier: " + (files.folder / "run") +
                " holds the runs of a cross-validation; give them: " + (files.folder / "run") + "/fold-*\n");
  double sum = 0;
  for (const std::string fold : {"1", "2", "3"}) {
    const Ran one = run({"eval", files.folder / ("run/fold-" + fold)});
    ASSERT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(Json::parse(one.out).at("examples"), 18);
    sum += Json::parse(one.out).at("rmse").get<double>();
  }
  EXPECT_NEAR(sum / 3, result.at("dev").at("rmse").at("mean").get<double>(), 1e-4);
  const Ran predicted = run({"predict", files.folder / "run/fold-2", json});
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 60u) << predicted.err;
  EXPECT_EQ(Json::parse(answers[17]).at("id"), 17);
  EXPECT_TRUE(Json::parse(answers[17]).contains("value"));
}

// A new record has no target, nor the object that holds only the target.
TEST(OwnData, ATargetMayBeTheOnlyFieldOfItsObject) {
  const Files files;
  std::string records;
  for (int i = 0; i < 60; ++i)
    records += Json({{"size", i % 7}, {"answer", {{"class", i % 7 > 3 ? "b" : "a"}}}}).dump() + "\n";
  const Ran trained = files.train({"records", "--json", files.write("r.json", records), "--target", "answer.class"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(lines_of(trained.err).at(1), "  fields: size");
  const Ran predicted =
      run({"predict", files.folder / "run"}, {.in = "{\"size\": 3}\n{\"size\": 3, \"answer\": {\"class\": \"a\"}}\n"});
  EXPECT_EQ(predicted.status, 0) << predicted.out;
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(Json::parse(answers[0]).contains("label"));
  EXPECT_EQ(answers[0], answers[1]);
}

// train, eval and predict read records over several lines, one after another.
TEST(OwnData, RecordsOnSeveralLines) {
  const Files files;
  std::string records;
  for (int i = 0; i < 60; ++i) records += Json({{"id", i}, {"n", i % 6}, {"y", 2 * (i % 6)}}).dump(1) + "\n";
  const std::string json = files.write("r.json", records);
  const Ran trained = files.train({"records", "--json", json, "--target", "y", "--kind", "regression"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(Json::parse(run({"eval", files.folder / "run", json}).out).at("examples"), 60);
  const Ran predicted = run({"predict", files.folder / "run", json});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 60u);
  EXPECT_EQ(Json::parse(answers[59]).at("id"), 59);
  const auto broken = lines_of(run({"predict", files.folder / "run"}, {.in = "{\"n\": 1}\n{\"n\":\n 2\n"}).out);
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[1], R"({"error":"line:3:3: the file ends inside the record that begins in line 2","line":2})");
}

TEST(OwnData, TreesOnSeveralLines) {
  const Files files;
  std::string trees;
  for (int i = 0; i < 40; ++i) trees += i % 2 == 0 ? "(good (_ very)\n  (good fine) film)\n" : "(bad (bad dull))\n";
  const std::string file = files.write("trees.txt", trees);
  const Ran trained = files.train({"trees", "--train", file, "--dim", "8"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(lines_of(trained.err)[0].substr(0, 16), "train: 32 trees,");
  const Ran predicted = run({"predict", files.folder / "run"}, {.in = "(_ very\n  fine)\n(_ dull\n(_ (_ dull))\n"});
  EXPECT_EQ(predicted.status, 1);
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 3u) << predicted.out;
  EXPECT_TRUE(Json::parse(answers[0]).at("probabilities").contains("good"));
  EXPECT_EQ(Json::parse(answers[1]).at("line"), 3);
  EXPECT_TRUE(Json::parse(answers[2]).contains("label"));
}

TEST(OwnData, MoleculesWithAnUnreadableOne) {
  if (run({"--version"}).out.find("RDKit") == std::string::npos) GTEST_SKIP() << "skipped: built without RDKit";
  const Files files;
  std::string rows = "name,smiles,logp,toxic\n";
  for (int i = 0; i < 50; ++i)
    rows += "m" + std::to_string(i) + "," + (i == 3 ? "C1C" : std::string(static_cast<size_t>(1 + i % 6), 'C')) + "," +
            std::to_string(i % 6) + "," + (i % 4 == 0 ? "" : std::to_string(i % 2)) + "\n";
  const std::string csv = files.write("m.csv", rows);
  const Ran trained =
      files.train({"molecules", "--csv", csv, "--target", "logp,toxic", "--kind", "regression", "--layers", "1"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto said = lines_of(trained.err);
  ASSERT_GT(said.size(), 5u);
  EXPECT_EQ(said[0], csv + ": 49 molecules, column 'smiles'; targets logp,toxic");
  EXPECT_EQ(said[1], "  1 rows skipped: unreadable SMILES");
  EXPECT_EQ(said[2], "    " + csv + ":5:4: 'C1C' is not a valid molecule");
  EXPECT_EQ(said[3], "train 39, dev 5, test 5 (random split)");
  EXPECT_EQ(said[4].substr(0, 22), "  target 'logp': mean ");
  EXPECT_NE(said[5].find(" missing"), std::string::npos) << said[5];
  const Ran predicted = run({"predict", files.folder / "run", csv, "--csv", "--id", "name"});
  EXPECT_EQ(predicted.status, 1);
  const auto answers = lines_of(predicted.out);
  ASSERT_EQ(answers.size(), 51u);
  EXPECT_EQ(answers[0], "id,logp,toxic,error,line");
  EXPECT_TRUE(answers[1].starts_with("m0,")) << answers[1];
  EXPECT_EQ(answers[4], "m3,,,'C1C' is not a valid molecule,5");
}

TEST(OwnData, AColumnWithoutMolecules) {
  if (run({"--version"}).out.find("RDKit") == std::string::npos) GTEST_SKIP() << "skipped: built without RDKit";
  const Files files;
  std::string rows = "name,smiles,toxic\n";
  for (int i = 0; i < 40; ++i)
    rows += "m" + std::to_string(i) + "," + (i % 2 == 0 ? "C1C" : "CC") + "," + std::to_string(i % 2) + "\n";
  const std::string csv = files.write("m.csv", rows);
  const std::string not_one = "' is not a valid molecule";
  EXPECT_EQ(files.train({"molecules", "--csv", csv, "--smiles", "name", "--target", "toxic"}).err,
            "espalier: " + csv + ": none of the 40 fields in column 'name' is a readable SMILES: " + csv + ":2:1: 'm0" +
                not_one + "; " + csv + ":3:1: 'm1" + not_one + "; " + csv + ":4:1: 'm2" + not_one +
                "; …; --smiles chooses another column; the nearest of 2: 'smiles', 'toxic'\n");
  EXPECT_EQ(files.train({"molecules", "--csv", csv, "--target", "toxic"}).err,
            "espalier: " + csv + ": target 'toxic': the training examples have the single class '1'; a " +
                "classifier needs at least two classes; 20 rows were skipped, because " +
                "their SMILES are unreadable: " + csv + ":2:4: 'C1C" + not_one + "\n");
}

// Typical mistakes: the message, and exit status 1.
TEST(OwnData, Mistakes) {
  const Files files;
  const std::string csv = files.write("t.csv", "id,review,stars\n1,fine,4\n2,\"bad,1\n");
  const auto error = [&](const std::vector<std::string>& what) {
    const Ran r = files.train(what);
    EXPECT_EQ(r.status, 1) << r.err;
    return r.err;
  };
  EXPECT_EQ(error({"sequences", "--train", "reviews.csv", "--data", "/nowhere"}),
            "espalier: there is no file reviews.csv in the working directory, /nowhere\n");
  EXPECT_EQ(error({"sequences"}), "espalier: --train FILE is missing; it names the examples to train on\n");
  EXPECT_EQ(error({"sequences", "--train", csv}),
            "espalier: --text COLUMN is missing; the columns of " + csv + ": id, review, stars\n");
  EXPECT_EQ(error({"sequences", "--train", csv, "--text", "text", "--target", "stars"}),
            "espalier: " + csv + ": no column 'text'; the table has 'id', 'review', 'stars'\n");
  EXPECT_EQ(error({"sequences", "--train", csv, "--text", "review", "--target", "stars"}),
            "espalier: " + csv + ":3:3: the quote is not closed\n");
  const std::string wide = files.write("wide.csv", std::string("\xff\xfet\0,\0y\0\n\0", 10));
  EXPECT_EQ(error({"sequences", "--train", wide, "--text", "t", "--target", "y"}),
            "espalier: " + wide + ":1:1: the file is encoded in UTF-16; expected UTF-8\n");
  const std::string returns = files.write("returns.csv", "t,y\ra,1\rb,2\r");
  EXPECT_EQ(error({"sequences", "--train", returns, "--text", "t", "--target", "y"}),
            "espalier: " + returns + ":1:1: lines end with a carriage return only; expected a line feed\n");
  EXPECT_FALSE(std::filesystem::exists(files.folder / "run")) << "nothing was trained";
}

TEST(OwnData, LabelsAfterTheTexts) {
  const Files files;
  std::string swapped;
  for (int i = 0; i < 60; ++i) swapped += "film number " + std::to_string(i % 40) + "\tgood\n";
  const Ran r = files.train({"sequences", "--train", files.write("r.tsv", swapped)});
  EXPECT_NE(r.err.find("texts; a line is LABEL TAB text, the label first\n"), std::string::npos) << r.err;
}

TEST(OwnData, AFailedTrainingLeavesNoFolder) {
  const Files files;
  const std::string csv = files.write("t.csv", "text,y\na,1\nb,2\n");
  const auto fail = [&](const std::string& out) {
    const Ran r = run({"train", "sequences", "--train", csv, "--text", "text", "--target", "z", "--out", out, "--folds",
                       out.ends_with("folds") ? "2" : "1"});
    EXPECT_NE(r.err.find("no column 'z'"), std::string::npos) << r.err;
  };
  fail(files.folder / "runs/a");
  fail(files.folder / "runs/folds");
  fail((files.folder / "slash") + "/");
  EXPECT_FALSE(std::filesystem::exists(files.folder / "runs"));
  EXPECT_FALSE(std::filesystem::exists(files.folder / "slash"));
  std::filesystem::create_directory(files.folder / "mine");
  fail(files.folder / "mine");
  EXPECT_TRUE(std::filesystem::is_empty(files.folder / "mine")) << "the user's folder stays";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
