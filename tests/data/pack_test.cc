// Vocabularies and labels in the metadata of a checkpoint: the round trip is exact.
#include <espalier/data/pack.h>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/io/checkpoint.h>

#include "base/draw.h"
#include "io/folder.h"

namespace espalier::data {
namespace ESPALIER_FILE {

using io::message;

void expect_equal(const Vocabulary& a, const Vocabulary& b) {
  ASSERT_EQ(a.size(), b.size());
  for (int i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.word(i), b.word(i));
    EXPECT_EQ(a.count(i), b.count(i));
    EXPECT_EQ(b.find(a.word(i)), i);
  }
}

TEST(Pack, IsReadable) {
  EXPECT_EQ(pack(std::vector<std::string>{"yes", "no", "größe", ""}), "yes\nno\ngröße\n\n");
  EXPECT_EQ(pack(std::vector<std::string>{}), "");
  EXPECT_EQ(pack(std::vector<std::string>{"a\\n\n\xff\t"}), "a\\\\n\\n\\xff\t\n");
  Vocabulary words;
  words.add("the");
  words.add("the");
  words.add("<unk>", 0);
  EXPECT_EQ(pack(words), "2\tthe\n0\t<unk>\n");
}

// Round trip through a checkpoint, whose metadata must be UTF-8.
TEST(Pack, ComesBackFromACheckpoint) {
  std::vector<std::string> labels{"", "a b", "\t", "\n", "\\", "\\n", "\\x41", "\r", std::string(1, '\0'), "ß",
                                  // Valid UTF-8, and invalid: overlong forms, surrogates, too large code points.
                                  "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xf0\x9f\x8c\xb3",
                                  "\xf0\x9f", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
  Draw draw(1);
  Vocabulary words;
  for (int i = 0; i < 3000; ++i) {
    std::string word;
    for (uint64_t n = draw.below(6); n > 0; --n) word += static_cast<char>(draw.below(256));
    words.add(word);
    labels.push_back(word);
  }
  words.add("often", UINT64_MAX);
  const io::Folder folder;
  io::save(folder / "c", {.meta = {{"words", pack(words)}, {"labels", pack(labels)}}});
  const io::Meta meta = io::load(folder / "c", {});
  EXPECT_EQ(unpack_words(meta.at("labels")), labels);
  expect_equal(unpack_vocabulary(meta.at("words")), words);
}

TEST(Pack, SaysWhatIsWrong) {
  const auto words = [](const char* text) { return message<DataError>([&] { unpack_words(text, "labels"); }); };
  EXPECT_EQ(words("yes\nno"), "labels:2:3: the last line does not end; the text is truncated");
  for (const char* code : {"\\", "\\q", "\\x", "\\x1", "\\xg0", "\\x0G"})
    EXPECT_EQ(words((std::string("yes\nab") + code + "\n").c_str()),
              "labels:2:3: invalid escape; expected \\\\, \\n or \\xNN");
  const auto vocabulary = [](const char* text) { return message<DataError>([&] { unpack_vocabulary(text); }); };
  EXPECT_EQ(vocabulary("1\ta\n2\ta\n"), "vocabulary:2:3: 'a' occurs twice");
  EXPECT_EQ(vocabulary("1\ta\\\n"), "vocabulary:1:4: invalid escape; expected \\\\, \\n or \\xNN");
  EXPECT_EQ(vocabulary("1\n"), "vocabulary:1:1: '1' is not a count; expected count, tab, word");
  EXPECT_EQ(vocabulary("-1\ta\n"), "vocabulary:1:1: '-1' is not a count; expected count, tab, word");
  EXPECT_EQ(vocabulary("99999999999999999999\ta\n"),
            "vocabulary:1:1: '99999999999999999999' is not a count; expected count, tab, word");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
