// The input of predict, cut into examples, and its output as CSV.
#include <gtest/gtest.h>
#include <unistd.h>

#include "predict/answer_writer.h"
#include "predict/record_source.h"
#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json, app::PredictInput, app::Record;

std::vector<Record> records_of(const std::string& text, PredictInput how, const std::string& id = "",
                               size_t most = 64) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));  // less than a pipe holds
  close(ends[1]);
  app::RecordSource source(app::LineSource(ends[0], "stdin"), std::move(how), id);
  std::vector<Record> all;
  try {
    for (auto some = source.next(most); !some.empty(); some = source.next(most))
      all.insert(all.end(), some.begin(), some.end());
  } catch (...) {
    close(ends[0]);
    throw;
  }
  close(ends[0]);
  return all;
}

// "line|id|text", or "line|id|error: …".
std::vector<std::string> shown(const std::vector<Record>& records) {
  std::vector<std::string> all;
  for (const Record& r : records)
    all.push_back(std::to_string(r.line) + '|' + (r.id.is_null() ? "" : r.id.dump()) + '|' +
                  (r.error.empty() ? r.text : "error: " + r.error));
  return all;
}
using Texts = std::vector<std::string>;

constexpr auto blocks = PredictInput::Kind::blocks, json = PredictInput::Kind::json;

TEST(RecordSource, ReadsLines) {
  for (const size_t most : {1, 64})
    EXPECT_EQ(shown(records_of("a\r\n\nb", {}, "", most)), (Texts{"1||a", "2||", "3||b"}));
  EXPECT_TRUE(records_of("", {}).empty());
}

TEST(RecordSource, ReadsTreesOnSeveralLines) {
  const PredictInput how{.kind = PredictInput::Kind::brackets};
  for (const size_t most : {1, 64})
    EXPECT_EQ(shown(records_of("(a (b c))\n(S (NP x)\n   (VP y))\n\nword\n(d e)", how, "", most)),
              (Texts{"1||(a (b c))", "2||(S (NP x)\n   (VP y))", "4||", "5||word", "6||(d e)"}));
  EXPECT_EQ(shown(records_of("(a (b c)\n(d e)\n(f\n", how)), (Texts{"1||(a (b c)", "2||(d e)", "3||(f"}))
      << "a tree that lacks a parenthesis ends where the next one begins";
}

TEST(RecordSource, ReadsTheColumnOfACsvFile) {
  const PredictInput how{.csv_column = "text"};
  EXPECT_EQ(shown(records_of("Id,text,x\n7,\"two\nlines, a \"\"quote\"\"\",1\n\n8,b,2\n", how)),
            (Texts{"2|\"7\"|two\nlines, a \"quote\"", "5|\"8\"|b"}));
  EXPECT_EQ(shown(records_of("text,key\na,k1\nb,k2\n", how, "key")), (Texts{"2|\"k1\"|a", "3|\"k2\"|b"}));
  EXPECT_EQ(shown(records_of("Text\na\n", how)), (Texts{"1||Text", "2||a"})) << "no header: lines";
}

TEST(RecordSource, GoesOnAfterAnInvalidCsvRecord) {
  const auto found = records_of("text,y\na\nb,1\n\"c,2\n", {.csv_column = "text"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].error.starts_with("line:1:")) << found[0].error;
  EXPECT_EQ(found[1].text, "b");
  EXPECT_EQ(found[2].error, "line:1:1: the quote is not closed");
}

// The rows after it are records of their own.
TEST(RecordSource, GoesOnAfterACsvRecordWithAnOpenQuote) {
  const PredictInput how{.csv_column = "text"};
  const std::string open = "|error: line:1:3: the quote is not closed";
  for (const size_t most : {1, 64}) {
    EXPECT_EQ(shown(records_of("id,text\n1,\"a\n2,b\n\n3,c\n", how, "", most)),
              (Texts{"2|" + open, "3|\"2\"|b", "5|\"3\"|c"}))
        << "up to the end of the file";
    EXPECT_EQ(shown(records_of("id,text\n1,\"a\n2,\"b\"\n3,\"c\nd\"\n", how, "", most)),
              (Texts{"2|" + open, "3|\"2\"|b", "4|\"3\"|c\nd"}))
        << "up to text after a closing quote";
    EXPECT_EQ(shown(records_of("id,text\n1,\"a\nx\",b,\"\n3,c\n", how, "", most)),
              (Texts{"2|" + open, "3||error: line:1:6: the quote is not closed", "4|\"3\"|c"}))
        << "up to a field too many";
  }
}

TEST(RecordSource, ReadsALineAgainOnlyOnceAfterAnOpenQuote) {
  std::string text = "id,text\n0,\"bad\n";
  for (int i = 1; i < 3000; ++i) text += "0,good text\n";  // less than a pipe holds
  const auto found = records_of(text, {.csv_column = "text"});
  ASSERT_EQ(found.size(), 3000u);
  EXPECT_EQ(found[0].error, "line:1:3: the quote is not closed");
  EXPECT_EQ(found[2999].text, "good text");
  EXPECT_EQ(found[2999].line, 3001u);
}

TEST(RecordSource, RefusesAnIdThatDoesNotExist) {
  const auto error = test::error_of([] { records_of("text,name\na,b\n", {.csv_column = "text"}, "nam"); });
  EXPECT_NE(error.find("'nam'"), std::string::npos) << error;
  EXPECT_EQ(test::error_of([] { records_of("a\n", {.csv_column = "text"}, "id"); }),
            "--id id needs CSV whose first line has a column 'text'; the input is not");
  EXPECT_EQ(test::error_of([] { records_of("a\n", {}, "id"); }), "--id id: the examples of this task have no ids");
}

TEST(RecordSource, ReadsBlocks) {
  EXPECT_EQ(shown(records_of("\na x\nb y\n\n \nc z\n", {.kind = blocks})), (Texts{"2||a x\nb y\n", "6||c z\n"}));
}

TEST(RecordSource, ReadsJsonLines) {
  EXPECT_EQ(shown(records_of("{\"id\": 3, \"a\": 1}\n{\"a\": 2}\nnot JSON\n", {.kind = json})),
            (Texts{"1|3|{\"id\": 3, \"a\": 1}", "2||{\"a\": 2}", "3||not JSON"}));
}

TEST(RecordSource, ReadsJsonRecordsOnSeveralLines) {
  const std::string one = "{\n \"id\": 3,\n \"a\": [\n{\"b\": \"}\\\"{\"},\n{}\n ]\n}", two = "{\"a\": {\n}}";
  for (const size_t most : {1, 64})
    EXPECT_EQ(shown(records_of(one + "\n" + two + "\n\n5\n\n", {.kind = json}, "", most)),
              (Texts{"1|3|" + one, "8||" + two, "11||5", "12||"}))
        << "an empty line between records on one line is an invalid record";
  EXPECT_EQ(
      shown(records_of("{\"a\": [1\n{\"a\": 2,\n{\"a\": \"3\n{\"a\": 4]}\n{\"a\": 5}\n{\"a\":\n6", {.kind = json})),
      (Texts{"1||{\"a\": [1", "2||{\"a\": 2,", "3||{\"a\": \"3", "4||{\"a\": 4]}", "5||{\"a\": 5}", "6||{\"a\":\n6"}))
      << "an invalid record ends where it cannot go on";
}

TEST(RecordSource, ReadsAJsonArray) {
  const std::string text = " [{\"id\": \"x\",\n  \"a\": [1, \"],\\\"{\"]},\n {\"a\": {}}, 3]\n";
  const auto found = records_of(text, {.kind = json});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].id, "x");
  EXPECT_EQ(Json::parse(found[0].text), (Json{{"id", "x"}, {"a", {1, "],\"{"}}}));
  EXPECT_EQ(shown({found[1], found[2]}), (Texts{"3||{\"a\": {}}", "3||3"}));
  EXPECT_TRUE(records_of("[]", {.kind = json}).empty());
  EXPECT_EQ(shown(records_of("[{}, {}", {.kind = json})),
            (Texts{"1||{}", "1||error: the array of records is not closed"}));
  EXPECT_EQ(shown(records_of("[1] x\n", {.kind = json})), (Texts{"1||1", "1||error: text after the array of records"}));
}

std::string csv_of(const std::vector<Json>& answers) {
  testing::internal::CaptureStdout();
  app::AnswerWriter writer(true);
  for (const Json& answer : answers) writer.write(answer);
  writer.finish();
  return testing::internal::GetCapturedStdout();
}

TEST(AnswerWriter, WritesNestedAnswersAsColumns) {
  EXPECT_EQ(csv_of({{{"error", "bad, \"very\""}, {"line", 1}},
                    {{"id", "a"}, {"label", "x"}, {"probabilities", {{"x", 0.75}, {"y", 0.25}}}, {"tags", {"O", "B"}}},
                    {{"id", 7}, {"label", "y"}, {"probabilities", {{"x", 0}, {"y", 1}}}, {"tags", Json::array()}}}),
            "id,label,probabilities.x,probabilities.y,tags,error,line\n"
            ",,,,,\"bad, \"\"very\"\"\",1\n"
            "a,x,0.75,0.25,O B,,\n"
            "7,y,0,1,,,\n");
  EXPECT_EQ(csv_of({{{"error", "bad"}, {"line", 1}}}), "error,line\nbad,1\n") << "no answer is valid";
  EXPECT_EQ(csv_of({}), "");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
