// espalier report: the order and layout of runs, metrics and their variants.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden/golden.h"
#include "golden/program.h"
#include "golden/report_html.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using io::bytes_of;
using io::Folder;
using io::put_bytes;
using Texts = std::vector<std::string>;

std::string start(const std::string& task, const std::string& settings, const std::string& metric = "accuracy") {
  return fmt::format(R"({{"event":"start","task":"{}","metric":"{}","settings":{}}})", task, metric, settings) + "\n";
}

std::string epoch(int number, const std::string& dev) {
  return fmt::format(R"({{"event":"epoch","epoch":{},"loss":0.5,"seconds":1,"dev":{}}})", number, dev) + "\n";
}

// The page of runs a, b, … with these logs.
std::string page_of(const Texts& texts) {
  const Folder folder;
  Texts command = {"report"};
  for (size_t i = 0; i < texts.size(); ++i) {
    command.push_back(folder / (std::string(1, static_cast<char>('a' + i)) + ".jsonl"));
    put_bytes(command.back(), texts[i]);
  }
  command.insert(command.end(), {"-o", folder / "page.html"});
  const Ran r = run(command);
  EXPECT_EQ(r.status, 0) << r.err;
  return r.status == 0 ? bytes_of(folder / "page.html") : "";
}

// ---- the table of runs

const std::string results = R"({"accuracy":0.5,"f1":0.25})";

TEST(ReportTable, ScoresComeFirstAndSharedSettingsAreFolded) {
  const std::string many = R"("batch":32,"clip":5,"hidden":64,"seed":1)";
  const std::string html = page_of({start("t", R"({"lr":0.1,)" + many + "}") + epoch(0, results),
                                    start("t", R"({"lr":0.2,)" + many + "}") + epoch(0, results)});
  EXPECT_EQ(table(html).at(0), (Texts{"run", "dev accuracy", "dev f1", "lr", "best epoch", "epochs", "time",
                                      "examples/s", "parameters", "ended"}));
  const size_t folded = html.find("<details><summary>Settings shared by all runs</summary><dl>");
  EXPECT_GT(folded, html.find("</table>"));
  for (const std::string setting : {"<dt>batch</dt><dd>32</dd>", "<dt>hidden</dt><dd>64</dd>"})
    EXPECT_NE(html.find(setting, folded), std::string::npos) << setting;
  EXPECT_EQ(html.find("<dt>lr</dt>"), std::string::npos);
  EXPECT_NE(html.find("<h1>2 runs of t</h1>"), std::string::npos);
}

TEST(ReportTable, ASingleRunHasAllSettingsFolded) {
  const std::string html = page_of({start("t", R"({"epochs":1,"lr":0.1})") + epoch(0, results)});
  EXPECT_EQ(table(html).at(0), (Texts{"run", "dev accuracy", "dev f1", "best epoch", "epochs", "time", "examples/s",
                                      "parameters", "ended"}));
  for (const std::string setting : {"<dt>epochs</dt><dd>1</dd>", "<dt>lr</dt><dd>0.1</dd>"})
    EXPECT_NE(html.find(setting), std::string::npos) << setting;
}

TEST(ReportTable, EpochsHaveOneColumn) {
  const std::string resumed = R"({"event":"resume","epoch":1,"minibatch":0,"epochs":4,"patience":0})"
                              "\n";
  const auto rows = table(
      page_of({start("t", R"({"epochs":1})") + epoch(0, results), start("t", R"({"epochs":5})") + epoch(0, results),
               start("t", R"({"epochs":1})") + epoch(0, results) + resumed + epoch(1, results)}));
  const Texts expected = {"run",    "dev accuracy", "dev f1",     "patience",   "best epoch",
                          "epochs", "time",         "examples/s", "parameters", "ended"};
  EXPECT_EQ(rows.at(0), expected) << "only one run logs its patience";
  EXPECT_EQ(rows.at(1).at(5), "1");
  EXPECT_EQ(rows.at(2).at(5), "1 of 5");
  EXPECT_EQ(rows.at(3).at(5), "2 of 4");
}

TEST(ReportTable, AModelThatIsAlsoASettingHasOneColumn) {
  const auto log = [](const std::string& model) {
    return fmt::format(R"({{"event":"start","task":"t","model":"{0}","settings":{{"model":"{0}"}}}})", model) + "\n";
  };
  const Texts head = table(page_of({log("x"), log("y")})).at(0);
  EXPECT_EQ(std::ranges::count(head, "model"), 1);
}

TEST(ReportTable, SettingsThatOneTaskHasAreNoDifferenceBetweenRuns) {
  const std::string html = page_of({start("trees", R"({"lr":0.1,"leaves":3})"), start("words", R"({"lr":0.1})")});
  EXPECT_EQ(table(html).at(0).at(1), "task");
  EXPECT_EQ(table(html).at(0).at(2), "best epoch");
  EXPECT_NE(html.find("<summary>Settings of trees only</summary><dl>\n<div><dt>leaves</dt>"), std::string::npos);
}

// ---- charts

TEST(ReportCharts, AreOrderedByNumberAfterTheMetricThatChoosesAndTheLoss) {
  const std::string dev = R"({"top 0":0.1,"top 1":0.1,"top 10":0.1,"other":0.3,"top 2":0.1,"accuracy":0.1})";
  const std::string html = page_of({start("t", "{}") + epoch(0, dev)});
  EXPECT_EQ(titles(html),
            (Texts{"Dev accuracy", "Training loss", "Dev top 0", "Dev top 1", "Dev top 2", "Dev top 10", "Dev other"}));
}

struct Ticks {
  Texts labels, places;  // from bottom to top
};

Ticks y_ticks(const std::string& card) {
  return {all_matches(card, "<text class=\"end\"[^>]*>(.*?)</text>"),
          all_matches(card, "<line class=\"grid\"[^>]* y1=\"(.*?)\"")};
}

TEST(ReportCharts, AnAxisEndsAtOneAndBeginsAtZeroWhereNoValueIsBeyond) {
  const auto ticks = [&](const std::string& first, const std::string& last) {
    const std::string html = page_of(
        {start("t", "{}") + epoch(0, R"({"accuracy":)" + first + "}") + epoch(1, R"({"accuracy":)" + last + "}")});
    return y_ticks(card(html, "Dev accuracy"));
  };
  const std::string top = "10.0", bottom = "248.0";
  for (const std::string first : {"1", "0.99", "0.87", "0.3", "0", "-0.4", "-30"}) {
    const Ticks t = ticks(first, "1");
    EXPECT_EQ(t.labels.back(), first == "-30" ? "0" : "1") << first;
    EXPECT_EQ(t.places.back() == top, first != "-30") << first << ": the axis ends there";
  }
  for (const std::string last : {"0", "0.02", "0.4", "0.97", "7", "900"}) {
    const Ticks t = ticks("0", last);
    EXPECT_EQ(t.labels.front(), "0") << last;
    EXPECT_EQ(t.places.front(), bottom) << last;
  }
  EXPECT_EQ(ticks("0.02", "0.97").labels, (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"})) << "no logarithmic scale";
}

// ---- variants of a metric

const std::string by_length =
    R"({"accuracy":0.5,"accuracy by length in tokens":{"up to 20":0.75,"21 to 100":0.5,"more than 100":0.25}})";
const std::string title = "Dev accuracy by length in tokens";

TEST(ReportVariants, AreLinesOfOneChart) {
  const std::string html = page_of({start("t", "{}") + epoch(0, by_length) + epoch(1, by_length)});
  EXPECT_EQ(titles(html), (Texts{"Dev accuracy", "Training loss", title}));
  EXPECT_EQ(legend(card(html, title)), (Texts{"up to 20", "21 to 100", "more than 100"}));
  EXPECT_EQ(count(card(html, title), "<path class=\"line scale\" style=\"--at:[^\"]*\" d=\"[^\"]*L[^\"]*\"/>\n<circle"),
            3u);
  EXPECT_NE(html.find("<title>epoch 1\n0.75  up to 20\n0.5  21 to 100\n0.25  more than 100</title>"),
            std::string::npos);
  const auto rows = table(html);
  ASSERT_EQ(rows.size(), 4u) << "variants have a table of their own";
  EXPECT_EQ(rows[0][1], "dev accuracy");
  EXPECT_EQ(rows[0][2], "best epoch");
  EXPECT_EQ(rows[2], (Texts{"run", "up to 20", "21 to 100", "more than 100"}));
  EXPECT_EQ(rows[3], (Texts{"a", "0.75", "0.5", "0.25"}));
}

TEST(ReportVariants, OfSeveralRunsHaveAChartPerRunOnEqualAxes) {
  const std::string better = R"({"accuracy":0.9,"accuracy by length in tokens":{"up to 20":0.98,"21 to 100":0.5}})";
  const std::string html = page_of({start("t", "{}") + epoch(0, by_length), start("t", "{}") + epoch(0, better),
                                    start("t", "{}") + epoch(0, R"({"accuracy":0.1})")});
  EXPECT_EQ(titles(html), (Texts{"Dev accuracy", "Training loss", title + ": a", title + ": b"}));
  EXPECT_EQ(legend(card(html, title + ": b")), (Texts{"up to 20", "21 to 100"}));
  EXPECT_EQ(table(html).size(), 4u + 3u) << "the third run has no scores by length";
  EXPECT_EQ(y_ticks(card(html, title + ": a")).labels, y_ticks(card(html, title + ": b")).labels);
}

TEST(ReportVariants, WithNumbersAreOrderedAndColouredByThem) {
  std::string parts;
  for (const int length : {0, 1, 10, 11, 12, 2}) parts += fmt::format("{}\"{}\":0.5", parts.empty() ? "" : ",", length);
  const std::string html = page_of({start("t", "{}") + epoch(0, R"({"accuracy by length":{)" + parts + "}}")});
  const std::string chart = card(html, "Dev accuracy by length");
  EXPECT_EQ(legend(chart), (Texts{"0", "1", "2", "10", "11", "12"}));
  EXPECT_EQ(all_matches(chart.substr(chart.find("curves")), "<path class=\"line scale\" style=\"--at:(.*?)\""),
            (Texts{"0.000", "0.200", "0.400", "0.600", "0.800", "1.000"}));
}

TEST(ReportVariants, WithoutNumbersHaveTheColoursOfRuns) {
  const std::string html =
      page_of({start("t", "{}", "auc") + epoch(0, R"({"auc by target":{"NR":0.5,"SR-p53":0.6}})")});
  EXPECT_EQ(legend(card(html, "Dev ROC AUC by target")), (Texts{"NR", "SR-p53"}));
  EXPECT_EQ(count(card(html, "Dev ROC AUC by target"), "<circle class=\"dot r[01]\""), 2u);
}

TEST(ReportVariants, OfVersion01AreRead) {
  const std::string listops =
      page_of({start("listops", "{}") +
               epoch(0, R"({"accuracy":0.5,"21 to 100":0.5,"more than 100":0.25,"up to 20 tokens":0.75})")});
  EXPECT_EQ(titles(listops), (Texts{"Dev accuracy", "Training loss", title}));
  EXPECT_EQ(legend(card(listops, title)), (Texts{"up to 20", "21 to 100", "more than 100"}));
  const std::string entailment = page_of(
      {start("entailment", "{}") + epoch(0, R"({"accuracy":0.5,"length 10":0.5,"length 2":0.25,"length 0":0.75})")});
  EXPECT_EQ(titles(entailment), (Texts{"Dev accuracy", "Training loss", "Dev accuracy by length in operators"}));
  EXPECT_EQ(legend(card(entailment, "Dev accuracy by length in operators")), (Texts{"0", "2", "10"}));
}

TEST(ReportVariants, AreLoggedByListops) {
  const Folder folder;
  const Ran trained = run({"train", "listops", "--generate", "200", "--epochs", "1", "--hidden", "4", "--dim", "4",
                           "--quiet", "--out", folder / "run"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.out.find(R"("accuracy by length in tokens":{"up to 20":)"), std::string::npos) << trained.out;
  ASSERT_EQ(run({"report", folder / "run", "-o", folder / "page.html"}).status, 0);
  const std::string html = bytes_of(folder / "page.html");
  EXPECT_EQ(legend(card(html, title)).at(0), "up to 20");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
