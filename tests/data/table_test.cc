#include <sstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/data/table.h>

#include "support/error_of.h"

namespace espalier::data {
namespace ESPALIER_FILE {

using Row = std::vector<std::string>;

std::vector<Row> rows(const std::string& text) {
  std::istringstream in(text);
  Table table(Lines(in, "t.csv"));
  std::vector<Row> rows{table.columns()};
  while (table.next()) {
    Row& row = rows.emplace_back();
    for (size_t c = 0; c < table.columns().size(); ++c) row.emplace_back(table.field(c));
  }
  return rows;
}

TEST(Table, Reads) {
  EXPECT_EQ(rows("a,b,c\n1,,3\n,,\n"), (std::vector<Row>{{"a", "b", "c"}, {"1", "", "3"}, {"", "", ""}}));
  EXPECT_EQ(rows("a\r\n\r\n x \r\n"), (std::vector<Row>{{"a"}, {" x "}}))
      << "lines end in \\r\\n; an empty one is none";
  EXPECT_EQ(rows("a,b\n1,2"), (std::vector<Row>{{"a", "b"}, {"1", "2"}})) << "the last line has no end";
}

TEST(Table, ReadsQuotes) {
  EXPECT_EQ(rows("\"a,b\",c\n\"say \"\"no\"\"\",\"\"\n\"two\nlines\n\",x\"y\n"),
            (std::vector<Row>{{"a,b", "c"}, {"say \"no\"", ""}, {"two\nlines\n", "x\"y"}}));
}

TEST(Table, ReadsNumbers) {
  std::istringstream in("x,y,z\n-0.77, 2e-3 ,\n");
  Table table(Lines(in, "t.csv"));
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.number(0), -0.77);
  EXPECT_EQ(table.number(1), 2e-3);
  EXPECT_EQ(table.number(2), std::nullopt);
  EXPECT_EQ(table.column("z"), 2u);
  EXPECT_EQ(table.place(1), "t.csv:2:7: ");
}

TEST(Table, Refuses) {
  auto error = [](const std::string& text) { return test::error_of([&] { rows(text); }); };
  EXPECT_EQ(error(""), "t.csv:1:1: the table is empty; expected a header line with column names");
  EXPECT_EQ(error("a,b,a\n"), "t.csv:1:5: two columns are named 'a'");
  EXPECT_EQ(error("a,b\n1,2\n\n1,2,3\n"), "t.csv:4:1: 3 fields; expected 2");
  EXPECT_EQ(error("a,b\n1\n"), "t.csv:2:1: 1 fields; expected 2");
  EXPECT_EQ(error("a,b\n1,\"2\n3,4\n"), "t.csv:2:3: the quote is not closed");
  EXPECT_EQ(error("a,b\n\"1\" ,2\n"), "t.csv:2:4: text after a closing quote; expected a comma or the end of the line");

  std::istringstream in("x,log solubility\n1.5mg,nan\n");
  Table table(Lines(in, "t.csv"));
  EXPECT_EQ(test::error_of([&] { table.column("y"); }), "t.csv: no column 'y'; the table has 'x', 'log solubility'");
  std::istringstream wide("a1,a2,a3,tox,toxicity,toxic,x\n");
  const Table many(Lines(wide, "w.csv"));
  EXPECT_EQ(test::error_of([&] { many.column("toxi"); }),
            "w.csv: no column 'toxi' among 7; the nearest are 'tox', 'toxic', 'x', 'a1', 'a2'");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(test::error_of([&] { (void)table.number(0); }), "t.csv:2:1: '1.5mg' is not a number");
  EXPECT_EQ(test::error_of([&] { (void)table.number(1); }), "t.csv:2:7: 'nan' is not a number");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
