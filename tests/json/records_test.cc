// Records of a file: in one array, one per line, over several lines; and errors.
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <espalier/json.h>

#include "support/data_file.h"
#include "support/error_of.h"
#include "support/fuzz_reader.h"

namespace espalier::json {
namespace ESPALIER_FILE {

using test::error_of;

std::vector<Json> read_text(const std::string& text) {
  std::istringstream in(text);
  return read_records({in, "f.json"});
}
std::string said(const std::string& text) {
  return error_of([&] { read_text(text); });
}

TEST(JsonRecords, OfAnArrayAndOneALine) {
  const std::vector<Json> expected{{{"a", 1}, {"b", {1, 2}}}, {{"a", "x]\"}{"}}, 3, "s", nullptr};
  EXPECT_EQ(read_text(R"([ {"a": 1, "b": [1, 2]}, {"a": "x]\"}{"},3 , "s",null])"), expected);
  EXPECT_EQ(read_text("[\n{\"a\":\n1,\r\n\"b\": [1,\n2]}\n,\n{\"a\": \"x]\\\"}{\"}, 3\n, \"s\",\nnull\n]\n"), expected);
  EXPECT_EQ(read_text("{\"a\": 1, \"b\": [1, 2]}\n{\"a\": \"x]\\\"}{\"}\n\n3\n\"s\"\nnull"), expected);
  EXPECT_EQ(read_text("{\"a\":\n 1, \"b\": [1, 2]}{\"a\": \"x]\\\"}{\"} 3 \"s\" null\n"), expected);
  EXPECT_TRUE(read_text("").empty());
  EXPECT_TRUE(read_text(" \n").empty());
  EXPECT_TRUE(read_text("[ ]").empty());
}

TEST(JsonRecords, ErrorsSayWhere) {
  EXPECT_EQ(said("[1, 2"), "f.json:1:6: the file ends inside the array; expected ]");
  EXPECT_EQ(said("[1 2]"), "f.json:1:4: expected , or ] after a record");
  EXPECT_EQ(said("[1, ]"), "f.json:1:5: ']' where a record should begin");
  EXPECT_EQ(said("[1] 2"), "f.json:1:5: text after the end of the array; expected the end of the file");
  EXPECT_EQ(said("{\n \"a\": [1\n"), "f.json:2:9: the file ends inside the record that begins in line 1");
  EXPECT_EQ(said("{}\n{\n \"a\": x}\n"),
            "f.json:3:7: invalid JSON: syntax error while parsing value - invalid literal");
  EXPECT_EQ(said("[1, 1e999]"), "f.json:1:5: invalid JSON: number overflow parsing '1e999'");
  EXPECT_EQ(said("[1, tru]"), "f.json:1:8: invalid JSON: syntax error while parsing value - invalid literal");
  EXPECT_EQ(said(std::string(1, '{') + std::string(2000, '[')),
            "f.json:1:1001: the record is nested more than 1000 levels deep");
}

TEST(JsonRecords, KnowWhereTheyBegan) {
  std::istringstream in("[{\n}, 2\n,  3]");
  Records records({in, "f.json"});
  std::string places;
  for (Json record; records.next(record);) places += records.place();
  EXPECT_EQ(places, "f.json:1:2: f.json:2:4: f.json:3:4: ");
}

TEST(JsonRecords, Fuzzed) {
  test::fuzz({{R"([ {"a": 1, "b": [1, 2]}, {"a": "x]\"}{"},3 , "s",null])", "{\"a\": 1}\n[1,\n2]\n\"s\\n\"\n"},
              {"[", "]", "{", "}", "\"", "\\", ",", "\n", " ", "null", "1e999", "\"a\": "},
              [](const std::string& bytes) {
                for (const Json& record : read_text(bytes))
                  ASSERT_TRUE(Json::accept(record.dump(-1, ' ', false, Json::error_handler_t::replace)));
              }});
}

TEST(JsonRecords, Published) {
  const std::string path = test::data_file("json_mutagenesis/mutagenesis.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << test::no_data();
  const auto all = read_records(path);
  EXPECT_EQ(all.size(), 188u);
  EXPECT_TRUE(all.back().contains("mutagenic"));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
