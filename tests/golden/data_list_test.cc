// espalier data list, and how tasks find data sets.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/program.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

namespace fs = std::filesystem;

// Folders in place of those of the user; the variables are restored afterwards.
class DataList : public testing::Test {
 protected:
  DataList() : folder_(fs::current_path() / ("data_list_test_" + std::to_string(getpid()))) {
    if (const char* before = std::getenv("ESPALIER_DATA")) data_before_ = before;
    if (const char* before = std::getenv("HOME")) home_before_ = before;
    setenv("ESPALIER_DATA", (folder_ / "set").c_str(), 1);
    setenv("HOME", (folder_ / "home").c_str(), 1);
    unsetenv("XDG_DATA_HOME");
  }
  ~DataList() override {
    data_before_.empty() ? unsetenv("ESPALIER_DATA") : setenv("ESPALIER_DATA", data_before_.c_str(), 1);
    setenv("HOME", home_before_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void write(const std::string& file, const std::string& content = "") const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }
  std::string in(const std::string& file) const { return (folder_ / file).string(); }
  const std::string user_ = "home/.local/share/espalier";

 private:
  fs::path folder_;
  std::string data_before_, home_before_;
};

std::string line_of(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin)) return line;
  return "";
}

nlohmann::json row_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (auto row = nlohmann::json::parse(line); row.at("name") == name) return row;
  return {};
}

TEST_F(DataList, NamesStateFoldersAndMissingFiles) {
  write("set/sst/train.txt");
  write(user_ + "/sst/dev.txt.gz");
  for (const std::string part : {"train", "dev", "test"}) write("set/ud_english_ewt/en_ewt-ud-" + part + ".conllu.gz");
  const Ran r = run({"data", "list"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(line_of(r.out, "sst "),
            "sst            partly    Stanford Sentiment Treebank: 11,855 parse trees with a label at every node; size "
            "unknown; licence: none stated; tasks: sentiment; in " +
                in("set") + ", " + in(user_) + "; missing: sst/test.txt");
  EXPECT_EQ(line_of(r.out, "ewt "),
            "ewt            complete  Universal Dependencies English EWT: 16,622 sentences with dependency trees; size "
            "unknown; licence: CC BY-SA 4.0; tasks: parser; in " +
                in("set"));
  EXPECT_EQ(line_of(r.out, "glove "),
            "glove          missing   GloVe: vectors of 400,000 words with 300 elements, from 6 billion tokens; 862.2 "
            "MB; licence: PDDL 1.0; tasks: sentiment, relatedness, tagger, tagger-char");
  EXPECT_EQ(line_of(run({"data", "list", "--data", in(user_)}).out, "ewt ").substr(15, 7), "missing");
}

TEST_F(DataList, JsonHoldsTheAddresses) {
  write("set/sst/train.txt");
  const Ran r = run({"data", "list", "--json"});
  const auto sst = row_of(r.out, "sst");
  EXPECT_EQ(sst.at("state"), "partly");
  EXPECT_EQ(sst.at("missing"), nlohmann::json({"sst/dev.txt", "sst/test.txt"}));
  EXPECT_EQ(sst.at("folders"), nlohmann::json({in("set")}));
  EXPECT_EQ(sst.at("download_bytes"), nullptr);
  const auto& file = sst.at("files").at(0);
  EXPECT_EQ(file.at("url"), "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip");
  EXPECT_EQ(file.at("url_tried"), false);
  EXPECT_EQ(file.at("member"), "trees/train.txt");
  EXPECT_EQ(file.at("sha256"), "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7");
  EXPECT_EQ(sst.at("files").at(2).at("sha256"), nullptr);
  EXPECT_EQ(row_of(r.out, "text").at("files").at(0).at("made_from"), "ud_english_ewt/en_ewt-ud-train.conllu");
}

// Every data set of a task is named by the task, and the other way round. General tasks read any file.
TEST_F(DataList, NamesTheTasks) {
  std::set<std::string> reads_data, named;
  std::istringstream tasks(run({"tasks", "--json"}).out), sets(run({"data", "list", "--json"}).out);
  for (std::string line; std::getline(tasks, line);)
    if (const auto task = nlohmann::json::parse(line);
        task.at("data") != "generated" && !task.at("data").get<std::string>().starts_with("--"))
      reads_data.insert(task.at("name"));
  for (std::string line; std::getline(sets, line);) {
    const auto set = nlohmann::json::parse(line);
    for (const auto& name : set.at("tasks")) named.insert(name.get<std::string>());
  }
  EXPECT_EQ(reads_data, named);
}

TEST_F(DataList, MissingDataOfATaskNamesTheCommand) {
  const auto error = [&](const std::string& task) { return run({"train", task, "--out", in("run")}).err; };
  EXPECT_EQ(error("sentiment"), "espalier: there is no sst/train.txt in " + in("set") + ", ./data, " + in(user_) +
                                    "; get it with: espalier data get sst\n");
  EXPECT_EQ(error("listops"),
            "espalier: there is no listops/train_d20s.tsv or listops/train_d20s_regenerated.tsv.gz in " + in("set") +
                ", ./data, " + in(user_) + "; get it with: espalier data get listops\n");
  EXPECT_EQ(error("relatedness")
                .find("espalier: there is no sick/train in " + in("set") + ", ./data, " + in(user_) +
                      "; 'espalier data get sick' gets only a part: the task reads parsed sentences"),
            0u);
  unsetenv("ESPALIER_DATA");
  EXPECT_EQ(run({"train", "sentiment", "--out", in("run"), "--data", in("my data")}).err,
            "espalier: there is no sst/train.txt in " + in("my data") +
                "; get it with: espalier data get sst --data '" + in("my data") + "'\n");
}

TEST_F(DataList, TasksReadTheFolderOfTheUser) {
  for (const std::string part : {"train", "dev"})
    write(user_ + "/sst/" + part + ".txt", "(3 (2 It) (4 works))\n(1 (2 It) (0 fails))\n");
  const Ran r = run({"train", "sentiment", "--vectors", "none", "--dim", "4", "--hidden", "4", "--epochs", "1", "--out",
                     in("run"), "--quiet"});
  EXPECT_EQ(r.status, 0) << r.err;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
