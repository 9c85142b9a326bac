// Lines of plain files, gzip files and streams.
#include <espalier/text/lines.h>

#include <zlib.h>

#include <sstream>

#include <gtest/gtest.h>
#include <espalier/data/conllu.h>
#include <espalier/data/listops.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>

#include "io/folder.h"
#include "support/allocations.h"
#include "support/error_of.h"

namespace espalier::data {
namespace ESPALIER_FILE {

using test::error_of;
using Strings = std::vector<std::string>;

Strings all(Lines lines) {
  Strings found;
  while (lines.next()) {
    found.emplace_back(lines.line());
    EXPECT_EQ(lines.number(), found.size());
  }
  return found;
}

void zip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(Lines, OfFilesAndStreamsAreTheSame) {
  const std::string long_line(200'000, 'x');
  const std::string text = "\xef\xbb\xbfone\n\n \xef\xbb\xbf two\r\n\r\n" + long_line + "\nthe\rlast\r";
  const Strings expected{"one", "", " \xef\xbb\xbf two", "", long_line, "the\rlast"};
  const io::Folder folder;
  io::put_bytes(folder / "plain", text);
  zip(folder / "zipped", text);
  std::istringstream in(text);
  EXPECT_EQ(all(folder / "plain"), expected);
  EXPECT_EQ(all(folder / "zipped"), expected);
  EXPECT_EQ(all(in), expected);
  io::put_bytes(folder / "none", "");
  EXPECT_EQ(all(folder / "none"), Strings{});
}

TEST(Lines, EveryReaderTakesGzip) {
  const io::Folder folder;
  const auto zipped = [&](const std::string& text) {
    zip(folder / "f.gz", text);
    return Lines(folder / "f.gz");
  };
  Vocabulary words, tags;
  EXPECT_EQ(sentiment::read(zipped("(2 (2 a) (3 b))\n(1 c)\n"), words).size(), 2u);
  EXPECT_EQ(tagged::read(zipped("a|O b|O\n\nc|O\n"), words, tags).size(), 2u);
  EXPECT_EQ(text::read(zipped("a b\nc\n"), words).size(), 2u);
  EXPECT_EQ(listops::read(zipped("9\t[MAX 2 9 ]\n[SM 1 ]\n")).size(), 2u);
  EXPECT_EQ(conllu::read(zipped("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n")).size(), 1u);
}

TEST(Lines, TakeTheMemoryOfOneLine) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "(2 (2 a) (3 b))\n";
  const io::Folder folder;
  io::put_bytes(folder / "plain", text);
  zip(folder / "zipped", text);
  std::istringstream in(text);
  for (int source = 0; source < 3; ++source) {
    Lines lines = source == 0 ? Lines(folder / "plain") : source == 1 ? Lines(folder / "zipped") : Lines(in);
    const test::Allocations allocations;
    size_t bytes = 0;
    while (lines.next()) bytes += lines.line().size() + 1;
    EXPECT_LT(allocations.bytes_taken(), 100'000u) << source;
    EXPECT_EQ(bytes, text.size());
  }
}

TEST(Lines, OfAStreamComeOneByOne) {
  std::istringstream in("one\ntwo\n");
  Lines lines(in);
  ASSERT_TRUE(lines.next());
  std::string rest;
  std::getline(in, rest);
  EXPECT_EQ(rest, "two");  // not read ahead
}

TEST(Lines, MoveInTheMiddle) {
  std::istringstream in("one\ntwo\n");
  Lines lines(in);
  lines.next();
  Lines moved = std::move(lines);
  EXPECT_EQ(moved.line(), "one");
  ASSERT_TRUE(moved.next());
  EXPECT_EQ(moved.line(), "two");
  EXPECT_EQ(moved.number(), 2u);
}

TEST(Lines, ErrorsSayWhere) {
  const io::Folder folder;
  const std::string path = folder / "f";
  const auto said = [&] { return error_of([&] { all(path); }).substr(path.size()); };
  EXPECT_EQ(said(), ": cannot be opened: No such file or directory");
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(size_t{7919} * static_cast<size_t>(i)) + "\n";
  zip(path, text);
  std::string zipped = io::bytes_of(path);
  io::put_bytes(path, zipped.substr(0, zipped.size() / 2));
  EXPECT_TRUE(said().ends_with(":1: the file ends in the middle of its gzip data")) << said();
  io::put_bytes(path, zipped + "x");
  EXPECT_TRUE(said().ends_with(":1: bytes that are not gzip follow the gzip data")) << said();
  io::put_bytes(path, zipped + "more text, or a file of another kind\n");
  EXPECT_TRUE(said().ends_with(":1: bytes that are not gzip follow the gzip data")) << said();
  io::put_bytes(path, zipped + zipped.substr(0, 30));
  EXPECT_TRUE(said().ends_with(":1: the file ends in the middle of its gzip data")) << said();
  io::put_bytes(path, zipped + zipped);  // two gzip members form one text
  EXPECT_EQ(all(path).size(), 200'000u);
  zipped[zipped.size() / 2] ^= 0x55;
  zipped[zipped.size() / 2 + 1] ^= 0x55;
  io::put_bytes(path, zipped);
  EXPECT_NE(said().find(":1: cannot be read: "), std::string::npos) << said();
  io::put_bytes(path, "short\n" + std::string(Lines::longest + (1 << 17), 'x'));
  EXPECT_EQ(said(), ":2:1: the line is longer than 16777216 bytes");
  EXPECT_TRUE(error_of([&] { all(folder / ""); }).ends_with("cannot be read: Is a directory"));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
