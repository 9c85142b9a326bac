// The table of data sets, the folders they are found in, and the conversions of published files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "data/convert.h"
#include "data/data_set.h"
#include "data/folders.h"
#include "models/data_folder.h"
#include "support/data_file.h"
#include "support/error_of.h"

namespace espalier::app {
namespace ESPALIER_FILE {

using test::error_of;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DataSets, TheTableIsComplete) {
  std::set<std::string> names, paths;
  for (const DataSet& set : data_sets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_FALSE(set.what.empty() || set.licence.empty() || set.page.empty() || set.files.empty()) << set.name;
    for (const DataFile& file : set.files) {
      EXPECT_TRUE(paths.insert(file.path).second) << file.path;
      EXPECT_FALSE(file.path.starts_with('/') || file.path.find("..") != std::string::npos ||
                   file.path.ends_with(".gz"));
      EXPECT_TRUE(file.sha256.empty() || file.sha256.size() == 64) << file.path;
      EXPECT_TRUE(file.is_published() || !set.note.empty()) << file.path;
      const auto is_source = [&](const Source& s) { return s.name == file.source; };
      EXPECT_TRUE(file.source.empty() || std::ranges::any_of(set.sources, is_source)) << file.path;
      EXPECT_TRUE(file.made_from.empty() || data_set_of(file.made_from) != nullptr) << file.path;
    }
    for (const Source& source : set.sources) {
      EXPECT_TRUE(source.url.starts_with("https://")) << source.url;
      EXPECT_TRUE(std::ranges::any_of(set.files, [&](const DataFile& f) { return f.source == source.name; }));
    }
  }
}

TEST(DataSets, AreFoundByFile) {
  EXPECT_EQ(data_set_of("propositional_logic/train3.gz")->name, "logic");
  EXPECT_EQ(data_set_of("sick/train")->name, "sick");
  EXPECT_EQ(data_set_of("listops/train_d20s_regenerated.tsv.gz")->name, "listops");
  EXPECT_EQ(data_set_of("sst/train.tx"), nullptr);
  EXPECT_EQ(error_of([] { data_set("wikinr"); }),
            "there is no data set 'wikinr'; the nearest of 19: 'wikiner', 'sider', 'sick', 'logic', 'hiv'; 'espalier "
            "data list' lists all");
}

TEST(DataSets, FoldersAndNamesAreTriedInOrder) {
  const test::DataFolder folder;
  folder.write("a/x/second.txt.gz", "");
  folder.write("b/x/first.txt", "");
  folder.write("b/x/second.txt", "");
  const std::string a = folder.path() + "/a", b = folder.path() + "/b", names = "x/first.txt|x/second.txt";
  EXPECT_EQ(data_file(a, names), a + "/x/second.txt.gz");
  EXPECT_EQ(data_file(b, names), b + "/x/first.txt");
  EXPECT_EQ(data_file(b, "x/first.txt.gz"), b + "/x/first.txt");
  EXPECT_EQ(data_file(b, "x"), b + "/x");
  EXPECT_EQ(error_of([&] { data_file(a, "x/first.txt"); }),
            "there is no x/first.txt in " + a + "; set its folder with --data");
  EXPECT_EQ(data_folders(a), std::vector{a});
  EXPECT_EQ(target_folder(a), a);
  EXPECT_EQ(quoted("it's"), "'it'\\''s'");
}

TEST(DataSets, ReadersRecogniseGzipByContent) {
  // data_file() may return X for X.gz and the other way round, so the name says nothing.
  const test::DataFolder folder;
  folder.write("x.txt.gz", "plain\n");
  data::Lines lines(folder.path() + "/x.txt.gz");
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "plain");
}

TEST(DataSets, WikinerLosesThePartsOfSpeech) {
  const test::DataFolder folder;
  const auto converted = [&](Convert convert, const std::string& text) {
    folder.write("from", text);
    text::Lines lines(folder.path() + "/from");
    Draft draft(folder.path() + "/to");
    convert(lines, draft);
    draft.install();
    return bytes_of(folder.path() + "/to");
  };
  EXPECT_EQ(converted(tags_of_wikiner, "Rome|NNP|I-LOC  |||O\n\nx|y|z|O\n"), "Rome|I-LOC ||O\nx|y|O\n");
  EXPECT_EQ(error_of([&] { converted(tags_of_wikiner, "a|b|c\nword|O\n"); }),
            folder.path() + "/from:2:1: 'word|O' is not a token; expected word|part of speech|tag");
  const std::string long_text = [] {
    std::string text;
    for (int i = 0; i < 10'001; ++i) text += "a|b|c\n";
    return text;
  }();
  EXPECT_EQ(converted(tags_of_wikiner, long_text).size(), 10'000u * 4);
  EXPECT_EQ(converted(tags_of_conll, "a b\n\n-DOCSTART- O\n\nc d\ne f"), "a|b\nc|d e|f\n");
}

TEST(DataSets, TextIsMadeFromTheTreebank) {
  const std::string treebank = test::data_file("ud_english_ewt/en_ewt-ud-train.conllu.gz"),
                    text = test::data_file("text/train.txt");
  if (!std::filesystem::exists(treebank) || !std::filesystem::exists(text)) GTEST_SKIP() << test::no_data();
  const test::DataFolder folder;
  data::Lines lines(treebank);
  Draft draft(folder.path() + "/train.txt");
  words_of_conllu(lines, draft);
  draft.install();
  EXPECT_TRUE(bytes_of(folder.path() + "/train.txt") == bytes_of(text));
}

TEST(DataSets, ADraftThatIsNotInstalledLeavesNothing) {
  const test::DataFolder folder;
  folder.write("file", "before");
  {
    Draft draft(folder.path() + "/file");
    draft.write("after");
  }
  EXPECT_EQ(bytes_of(folder.path() + "/file"), "before");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_EQ(error_of([&] { Draft draft(folder.path() + "/file/x"); }),
            folder.path() + "/file/x: cannot be written: Not a directory");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::app
