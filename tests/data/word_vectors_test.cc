// Word vectors in plain and gzip text: reading, filtering and errors.
#include <espalier/data/word_vectors.h>

#include <zlib.h>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

#include "io/folder.h"

namespace espalier::data::word_vectors {
namespace ESPALIER_FILE {

using io::Folder;
using io::message;

Table read_text(const std::string& text, const Options& options = {}) {
  const Folder folder;
  io::put_bytes(folder / "v", text);
  return read(folder / "v", options);
}

// The error message without the folder: "v:1:1: …".
std::string said(const std::string& text, const Options& options = {}) {
  const Folder folder;
  io::put_bytes(folder / "v", text);
  const std::string what = message<DataError>([&] { read(folder / "v", options); });
  const std::string before = folder / "";
  return what.starts_with(before) ? what.substr(before.size()) : what;
}

std::vector<std::string> words_of(const Table& table) {
  std::vector<std::string> words;
  for (int i = 0; i < table.words.size(); ++i) words.push_back(table.words.word(i));
  return words;
}

TEST(WordVectors, OfGloVe) {
  const Table table = read_text("the 0.5 -1 2e-3\nof 1 2 3\n");
  EXPECT_EQ(words_of(table), (std::vector<std::string>{"the", "of"}));
  EXPECT_EQ(table.columns, 3);
  EXPECT_EQ(table.numbers, (std::vector<float>{0.5f, -1, 2e-3f, 1, 2, 3}));
  EXPECT_EQ(table.rows, 2u);
  EXPECT_EQ(table.find("of")[1], 2);
  EXPECT_TRUE(table.find("Of").empty());
  EXPECT_EQ(table.find("Of", true)[1], 2);
  EXPECT_TRUE(table.find("or", true).empty());
}

TEST(WordVectors, OfWord2vec) {
  const Table table =
      read_text("2 3\r\n</s> 1 2 3 \r\nder\t4 5 6 \r\n\r\n");  // word2vec writes a blank before the line end
  EXPECT_EQ(words_of(table), (std::vector<std::string>{"</s>", "der"}));
  EXPECT_EQ(table.numbers, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_text("0 7\n").columns, 7);
}

TEST(WordVectors, WordsThatAreOdd) {
  const Table table = read_text(
      "a 1 2\n. . . 3 4\nat name@domain.com 5 6\n2003 7 8\n\xc2\xa0 9 10\nz\xc2\xa0z 11 12\n- - 13 14\na 15 16\nlast 0 "
      "1");
  EXPECT_EQ(words_of(table), (std::vector<std::string>{"a", ". . .", "at name@domain.com", "2003", "\xc2\xa0",
                                                       "z\xc2\xa0z", "- -", "last"}));
  EXPECT_EQ(table.find(". . .")[1], 4);
  EXPECT_EQ(table.find("a")[0], 1);  // the first vector counts
  EXPECT_EQ(table.repeated, 1u);
  EXPECT_EQ(table.rows, 9u);
}

TEST(WordVectors, OnlyThoseOfAVocabulary) {
  Vocabulary words;
  for (const char* word : {"The", "cat", "unseen"}) words.add(word);
  const std::string text = "the 1 2\ndog 3 x\ncat 5 6\nThe 7 8\nCAT 9 10\n";
  const Table table = read_text(text, {&words});
  EXPECT_EQ(words_of(table), (std::vector<std::string>{"the", "cat", "The"}));
  EXPECT_EQ(table.numbers, (std::vector<float>{1, 2, 5, 6, 7, 8}));  // the values of "dog" were not parsed
  EXPECT_EQ(table.rows, 5u);
}

TEST(WordVectors, NumbersAreRoundedOnce) {
  const Table table = read_text("a 0.1 1e-45 1e-60 -1e-320 3.4028235e38\n");
  EXPECT_EQ(table.numbers, (std::vector<float>{0.1f, 1e-45f, 0, 0, 3.4028235e38f}));
}

TEST(WordVectors, SayWhatIsWrong) {
  EXPECT_EQ(said(""), "v:1:1: no vectors; expected one word and its vector per line");
  EXPECT_EQ(said("\n \n"), "v:3:1: no vectors; expected one word and its vector per line");
  EXPECT_EQ(said("the\n"), "v:1:1: 'the' has no vector; expected a word and its vector");
  EXPECT_EQ(said("the 1 2\nof 1\n"), "v:2:1: 'of' has 1 elements; expected 2");
  EXPECT_EQ(said("the 1 2\nof\n"), "v:2:1: 'of' has 0 elements; expected 2");
  EXPECT_EQ(said("the 1 2\nof 1 2 3 4\n"), "v:2:1: 'of 1 2' has 4 elements; expected 2");
  EXPECT_EQ(said("the 1 2\n 1 2\n"), "v:2:1: the line begins with a blank; expected a word");
  EXPECT_EQ(said("the 1 2\n  1 2 3\n"), "v:2:1: the line begins with a blank; expected a word");
  EXPECT_EQ(said("the 1 2\nof 1 two\n"), "v:2:6: 'two' is not a finite number");
  EXPECT_EQ(said("the nan 2\n"), "v:1:5: 'nan' is not a finite number");
  EXPECT_EQ(said("the 1 -inf\n"), "v:1:7: '-inf' is not a finite number");
  EXPECT_EQ(said("the 1 1e39\n"), "v:1:7: '1e39' is not a finite number");
  EXPECT_EQ(said("the 1 1,5\n"), "v:1:7: '1,5' is not a finite number");
  EXPECT_EQ(said("2 0\n"), "v:1:1: vectors of 0 elements; expected at least 1");
  EXPECT_EQ(said("2 2\na 1 2\n"), "v:3:1: the file has 1 rows; its first line says 2");
  EXPECT_EQ(said("1 2\na 1 2\nb 1 2\n"), "v:4:1: the file has 2 rows; its first line says 1");
  EXPECT_EQ(said("9 2000000000\na 1 2\n"), "v:2:1: 'a' has 2 elements; expected 2000000000");
  EXPECT_EQ(said(std::string(20'000'000, 'x')), "v:1:1: the line is longer than 16777216 bytes");
  const Folder folder;
  EXPECT_EQ(message<DataError>([&] { read(folder / "v"); }),
            (folder / "v") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message<DataError>([&] { read(folder / "."); }), (folder / ".") + ": cannot be read: Is a directory");
}

void put_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

TEST(WordVectors, Gzip) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "w" + std::to_string(i) + " " + std::to_string(i) + " 0.25\n";
  put_gzip(folder / "v", text);
  const Table table = read(folder / "v");
  ASSERT_EQ(table.rows, 30'000u);
  for (int i = 0; i < 30'000; i += 777) EXPECT_EQ(table.find("w" + std::to_string(i))[0], static_cast<float>(i));
  // A truncated file or a flipped bit is always an error, never silently fewer rows.
  const std::string bytes = io::bytes_of(folder / "v");
  for (const size_t length : {size_t{2}, size_t{11}, bytes.size() / 2, bytes.size() - 8, bytes.size() - 1}) {
    io::put_bytes(folder / "cut", bytes.substr(0, length));
    EXPECT_NE(message<DataError>([&] { read(folder / "cut"); }), "nothing was thrown") << length;
  }
  std::string broken = bytes;
  broken[bytes.size() / 2] = static_cast<char>(broken[bytes.size() / 2] ^ 4);
  io::put_bytes(folder / "broken", broken);
  EXPECT_NE(message<DataError>([&] { read(folder / "broken"); }), "nothing was thrown");
  put_gzip(folder / "short", "the 1\n");
  io::put_bytes(folder / "cut", io::bytes_of(folder / "short").substr(0, 20));
  EXPECT_EQ(message<DataError>([&] { read(folder / "cut"); }),
            (folder / "cut") + ":2:1: the file ends in the middle of its gzip data");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::word_vectors
