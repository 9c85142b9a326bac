// espalier report: the page of synthetic logs, and the messages for broken ones.
#include <filesystem>
#include <string>
#include <vector>

#include "golden/golden.h"
#include "golden/program.h"
#include "golden/report_html.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using io::bytes_of;
using io::Folder;
using io::put_bytes;

const std::string start = R"({"event":"start","task":"t","metric":"accuracy"})"
                          "\n";

TEST(Report, DrawsOneRun) {
  const Folder folder;
  const Ran r = run({"report", logs + "names", "-o", folder / "page.html"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out, (folder / "page.html") + "\n");
  EXPECT_EQ(folder.files(), 1u);
  const std::string html = bytes_of(folder / "page.html");
  EXPECT_EQ(count(html, "<svg class=\"curves\""), 3u);                // loss, accuracy, f1
  EXPECT_EQ(count(html, "<path class=\"line r0\" d=\"[^\"]*L"), 6u);  // three curves, three labels of the run
  EXPECT_EQ(count(html, "<rect class=\"heat"), 9u);
  EXPECT_EQ(count(html, "<rect class=\"step\""), 6u);
  EXPECT_EQ(count(html, "<circle class=\"point\""), 0u);
  EXPECT_NE(html.find("<title>epoch 1\n0.72  names  (best)</title>"), std::string::npos) << "the later epoch 1 counts";
  EXPECT_EQ(html.find("9.9"), std::string::npos) << "the earlier epoch 1 was replaced";
  EXPECT_NE(html.find("<title>lstm\nstep 3 of 6: 4 calls</title>"), std::string::npos);
  EXPECT_NE(html.find("29 calls of 4 examples in 6 steps by policy auto; lower bound of any schedule: 5"),
            std::string::npos);
  EXPECT_NE(html.find("<title>steps of 4 to 7 calls\n3 of 6 steps (50.0 %)</title>"), std::string::npos);
  EXPECT_NE(html.find("<title>in steps of 4 to 7 calls\n13 of 29 calls (44.8 %)</title>"), std::string::npos);
  EXPECT_NE(html.find("72 of 100 correct (72.0 %)"), std::string::npos);
}

TEST(Report, TellsRunsApartByWhatDiffers) {
  const Folder folder;
  ASSERT_EQ(run({"report", logs + "names", logs + "solubility/log.jsonl", "-o", folder / "page.html"}).status, 0);
  const std::vector<std::vector<std::string>> expected = {
      {"run", "dev accuracy", "dev rmse", "dev f1", "task", "model", "adam.lr", "seed", "best epoch", "epochs", "time",
       "examples/s", "parameters", "ended"},
      {"names", "0.72", "–", "0.52", "names", "tagger", "0.001", "1", "1", "3", "7.9 s", "333", "54,023",
       "no improvement"},
      {"solubility", "–", "0.8", "–", "solubility", "graph convolution", "0.002", "2", "2", "4", "2.0 s", "1804",
       "9,021", "not finished"}};
  const std::string html = bytes_of(folder / "page.html");
  EXPECT_EQ(table(html), expected);
  EXPECT_NE(html.find("<dt>hidden</dt><dd>50</dd>"), std::string::npos);
  EXPECT_NE(html.find("4 points, RMSE 0.5863, Pearson 0.9772"), std::string::npos);
  EXPECT_NE(html.find("mean per epoch; thin line: mean of the epoch so far; logarithmic scale"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(Report, NamesRunsOfEqualFoldersInFull) {
  const Folder folder;
  for (const std::string parent : {"a", "b"}) {
    std::filesystem::create_directories(folder / (parent + "/run"));
    put_bytes(folder / (parent + "/run/log.jsonl"), start);
  }
  const std::string a = folder / "a/run", b = folder / "b/run";
  ASSERT_EQ(run({"report", a, b, a, "-o", folder / "page.html"}).status, 0);
  const auto rows = table(bytes_of(folder / "page.html"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1][0], a);
  EXPECT_EQ(rows[2][0], b);
  EXPECT_EQ(rows[3][0], a + " (2)");
}

TEST(Report, TextsOfALogStayTexts) {
  const std::string evil = R"(<script>alert(1)</script>\"'&\u0001)";
  const std::string log = R"(
    {"event":"start","task":"?","model":"?","metric":"?","espalier":"?","settings":{"?":"?"}}
    {"event":"schedule","examples":1,"calls":1,"policy":"?","steps":[{"cell":"?","calls":1}]}
    {"event":"epoch","epoch":0,"loss":1,"dev":{"?":1,"? by ?":{"?":1}}}
    {"event":"end","reason":"?"}
    {"event":"confusion","labels":["?"],"counts":[[1]]}
    {"event":"scatter","gold":[1],"predicted":[1],"unit":"?"}
)";
  const Folder folder;
  std::string text;
  for (const char c : log) text += c == '?' ? evil : std::string(1, c);
  put_bytes(folder / "evil.jsonl", text);
  ASSERT_EQ(run({"report", folder / "evil.jsonl", "-o", folder / "page.html"}).status, 0);
  const std::string html = bytes_of(folder / "page.html");
  EXPECT_EQ(count(html, "<script"), 1u) << "the page's own";
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_GE(count(html, "&lt;script&gt;alert\\(1\\)&lt;/script&gt;&quot;&#39;&amp; "), 19u);
}

TEST(Report, ALastLineCutShortIsLeftOut) {
  const Folder folder;
  put_bytes(folder / "log.jsonl", start + R"({"event":"epoch","epoch":0,"loss":1})"
                                          "\n"
                                          R"({"event":"epo)");
  const Ran r = run({"report", folder / "log.jsonl", "-o", folder / "page.html"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "espalier: " + (folder / "log.jsonl") + ":3: ignored the incomplete last line\n");
  EXPECT_EQ(count(bytes_of(folder / "page.html"), "<circle class=\"dot"), 1u);
}

TEST(Report, BrokenLogsAreNamedByLineAndThePageStaysAsItWas) {
  const Folder folder;
  const std::string log = folder / "log.jsonl", page = folder / "page.html";
  put_bytes(page, "as it was");
  const auto expect = [&](const std::string& text, const std::string& message) {
    put_bytes(log, text);
    const Ran r = run({"report", log, "-o", page});
    EXPECT_EQ(r.status, 1) << message;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "espalier: " + log + message + "\n");
    EXPECT_EQ(bytes_of(page), "as it was");
    EXPECT_EQ(folder.files(), 2u);
  };
  const std::string begins = ", the first event of a log";
  expect("", ": has no event \"start\"" + begins);
  expect("{\"eve", ": has no event \"start\"" + begins);
  expect(R"({"event":"epoch","epoch":0,"loss":1})"
         "\n",
         ":1: event \"epoch\" comes before \"start\"" + begins);
  expect(start + "loss 3\n" + start, ":2: not valid JSON");
  expect(start + "loss 3\n", ":2: not valid JSON");
  expect(start + "[1]\n", ":2: not a JSON object");
  expect(start + "{}\n", ":2: field \"event\" is missing");
  expect(start + R"({"event":"epoch","epoch":0})"
                 "\n",
         ":2: event \"epoch\" has no field \"loss\"");
  expect(start + R"({"event":"epoch","epoch":-1,"loss":1})"
                 "\n",
         ":2: field \"epoch\" of event \"epoch\" must be an integer >= 0");
  expect(start + R"({"event":"epoch","epoch":0,"loss":"low"})"
                 "\n",
         ":2: field \"loss\" of event \"epoch\" must be a number");
  expect(start + R"({"event":"epoch","epoch":0,"loss":1,"dev":{"accuracy":{"short":{"very":1}}}})"
                 "\n",
         ":2: field \"dev\" of event \"epoch\" must be a number");
  expect(start + R"({"event":"schedule","examples":1,"calls":1,"steps":[1]})"
                 "\n",
         ":2: field \"steps\" of event \"schedule\" must be a list of {\"cell\", \"calls\"}");
  expect(start + R"({"event":"confusion","labels":["a","b"],"counts":[[1,2],[3]]})"
                 "\n",
         ":2: field \"counts\" of event \"confusion\" must be a square matrix with a row per label");
  expect(start + R"({"event":"scatter","gold":[1],"predicted":[]})"
                 "\n",
         ":2: field \"predicted\" of event \"scatter\" must be as long as gold");
}

TEST(Report, WhatCannotBeReadOrWrittenIsAnError) {
  const Folder folder;
  const Ran none = run({"report", folder / "nowhere"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "espalier: " + (folder / "nowhere") +
                          ": cannot be read; RUN must be a folder with a log.jsonl, or the path of a log\n");
  const Ran unwritable = run({"report", logs + "names", "-o", folder / "no/page.html"});
  EXPECT_EQ(unwritable.status, 1);
  EXPECT_EQ(unwritable.err,
            "espalier: " + (folder / "no/page.html") + ": cannot be created: No such file or directory\n");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
