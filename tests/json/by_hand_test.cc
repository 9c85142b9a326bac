// Records described by hand: the values of the blocks, their composition, and their error messages.
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include <espalier/json.h>
#include "support/error_of.h"

namespace espalier::json {
namespace ESPALIER_FILE {

namespace blk = block;

struct ByHand : testing::Test {
  Engine engine;
  Parameters parameters{1};

  std::vector<float> row(const JsonBlock& block, const char* text) {
    Graph g = engine.graph();
    const Json x = Json::parse(text);
    return engine.tensor(block(g, x)).to_vector();
  }
  template <class Out>
  std::string refusal(const blk::Block<Json, Out>& block, const Json& x) {
    Graph g = engine.graph();
    const std::string text = test::error_of([&] { block(g, x); });
    const size_t line = text.rfind(" (by_hand_test.cc:");
    return line == std::string::npos ? text + " without a line" : text.substr(0, line);
  }
  template <class Out>
  std::string refusal(const blk::Block<Json, Out>& block, const char* text) {
    return refusal(block, Json::parse(text));
  }
};
using Row = std::vector<float>;

TEST_F(ByHand, LeavesAreRows) {
  EXPECT_EQ(row(number(), "-2.5"), Row{-2.5f});
  EXPECT_EQ(row(number(), "18446744073709551615"), Row{18446744073709551615.f});
  EXPECT_EQ(row(boolean(), "true"), Row{1});
  EXPECT_EQ(row(boolean(), "false"), Row{0});
  EXPECT_EQ(row(present(), "null"), Row{0});
  EXPECT_EQ(row(present(), "0"), Row{1});
  EXPECT_EQ(row(numbers(3), "[1, 2.5, -3]"), (Row{1, 2.5f, -3}));
  EXPECT_EQ(row(one_hot({"c", "h", "o"}), R"("h")"), (Row{0, 1, 0}));
  EXPECT_EQ(row(one_hot({"c", "h"}, Unknown::other), R"("xe")"), (Row{0, 0, 1}));
  EXPECT_EQ(row(one_hot({7, 8}, Unknown::other), "8"), (Row{0, 1, 0}));
  EXPECT_EQ(blk::str(one_hot({"c", "h"}, Unknown::other).shapes()), "[3]");
}

TEST_F(ByHand, StepsGiveValuesOfCpp) {
  Graph g = engine.graph();
  const Json x = Json::parse(R"({"a": [3, "wé", {"b": null}], "": 1})");
  const auto a = field("a");
  EXPECT_EQ(&a(g, x), &x["a"]);
  EXPECT_EQ((a >> nth(0) >> integer())(g, x), 3);
  EXPECT_EQ(&(a >> nth(-1) >> field("b"))(g, x), &x["a"][2]["b"]);
  EXPECT_EQ((a >> nth(1) >> text())(g, x), "wé");
  const Json least(-2147483648LL), most(2147483647.0);
  EXPECT_EQ(integer()(g, least), -2147483648LL);
  EXPECT_EQ(integer()(g, most), 2147483647);
  EXPECT_EQ((a >> nth(1) >> letters())(g, x), (std::vector<int>{'w', 0xc3, 0xa9}));
  EXPECT_EQ((a >> nth(1) >> category({"x", "wé"}))(g, x), 1);
  EXPECT_EQ((a >> array() >> blk::length())(g, x), 3);
  EXPECT_EQ((object() >> blk::get_item("") >> integer())(g, x), 1);
  EXPECT_EQ((a >> each(kind()))(g, x), (std::vector<std::string>{"number", "string", "object"}));
  EXPECT_TRUE(optional_field("z")(g, x).is_null());
  // A reference into a temporary becomes a value.
  const auto made = blk::of<Json>([](const Json& y) { return Json{{"copy", y}}; }) >> field("copy") >> field("a");
  EXPECT_EQ(made(g, x), x["a"]);
}

TEST_F(ByHand, NullsAreZerosOrWhatIsSaid) {
  const auto charge = optional_field("charge") >> nullable(number());
  EXPECT_EQ(row(charge, R"({"charge": 2})"), Row{2});
  EXPECT_EQ(row(charge, R"({"charge": null})"), Row{0});
  EXPECT_EQ(row(charge, "{}"), Row{0});
  EXPECT_EQ(row(optional_field("charge") >> present(), "{}"), Row{0});
  EXPECT_EQ(row(nullable(numbers(2), [](Graph& g) { return ones(g, {2}); }), "null"), (Row{1, 1}));
  EXPECT_EQ(row(nullable([](Graph& g, const Json&) { return ones(g, {2}); }, Shape{2}), "null"), (Row{0, 0}));
  EXPECT_EQ(refusal(charge, R"({"charge": "2"})"), "$.charge: a string is given; a number is needed");
}

TEST_F(ByHand, ElementsGoIntoAnyFunction) {
  const nn::Linear layer(parameters / "layer", 2, 3);
  const nn::Embedding table(parameters / "table", 3, 3);
  const auto pairs = each(numbers(2) >> layer) >> blk::sum({3});
  EXPECT_EQ(blk::str(pairs.shapes()), "[3]");
  EXPECT_EQ(row(pairs, "[]"), (Row{0, 0, 0}));
  EXPECT_EQ(row(pairs, "[[1, 2]]").size(), 3u);
  EXPECT_EQ(row(each(category({"a", "b", "c"}) >> table) >> blk::max(), R"(["b"])"),
            row(blk::of<Json>([&](Graph& g, const Json&) { return table(g, 1); }), "0"));
  EXPECT_EQ(row(each([](Graph& g, const Json& x) { return input(g, x.get<float>()); }) >> blk::sum(), "[1, 2]"),
            Row{3});
}

// Arithmetic as nested arrays, ["+", 1, ["*", 2, 3]], through fix, all_of and one_of by kind.
TEST_F(ByHand, RecursesByFix) {
  const auto value = blk::fix<Json, Expr>({}, [&](auto self) {
    const auto pair = [](auto f) { return [f](Expr a, Expr b) -> Expr { return f(a, b); }; };
    const auto both = blk::all_of(nth(1) >> self, nth(2) >> self);
    const JsonBlock node = blk::one_of(
        nth(0) >> text(), std::map<std::string, JsonBlock>{{"+", both >> pair([](Expr a, Expr b) { return a + b; })},
                                                           {"*", both >> pair([](Expr a, Expr b) { return a * b; })}});
    return blk::one_of(kind(), std::map<std::string, JsonBlock>{{"number", number()}, {"array", node}});
  });
  EXPECT_EQ(row(value, R"(["+", 1, ["*", 2, ["+", 3, 4]]])"), Row{15});
  EXPECT_EQ(refusal(value, R"(["+", 1, ["-", 2, 3]])"), "$[2]: one_of: no case for \"-\"; the cases are \"*\", \"+\"");
  EXPECT_EQ(refusal(value, R"(["+", 1, true])"),
            "$[2]: one_of: no case for \"boolean\"; the cases are \"array\", \"number\"");
  EXPECT_EQ(refusal(value, R"(["+", 1])"), "nth: index 2 is out of range for a sequence of 2");
}

TEST_F(ByHand, WrongKindsAreNamedWithTheirPath) {
  const auto atoms = field("atoms") >> each(field("charge") >> number());
  EXPECT_EQ(refusal(atoms, R"({"atoms": [{"charge": 1}, {"charge": "1"}]})"),
            "$.atoms[1].charge: a string is given; a number is needed");
  EXPECT_EQ(refusal(atoms, R"({"atoms": [{"charge": 1}, {"charge": null}]})"),
            "$.atoms[1].charge: null is given; a number is needed");
  EXPECT_EQ(refusal(atoms, R"({"atoms": [{"charge": 1}, {"element": "c", "bonds": []}]})"),
            "$.atoms[1]: no field charge; it has bonds, element");
  EXPECT_EQ(refusal(atoms, R"({"atoms": [{}]})"), "$.atoms[0]: no field charge; the object is empty");
  EXPECT_EQ(refusal(atoms, R"({"atoms": [3]})"), "$.atoms[0]: a number is given; an object is needed");
  EXPECT_EQ(refusal(atoms, R"({"atoms": {"0": 1}})"), "$.atoms: an object is given; an array is needed");
  EXPECT_EQ(refusal(field("a b") >> boolean(), R"({"a b": 1})"), "$[\"a b\"]: a number is given; a boolean is needed");
  EXPECT_EQ(refusal(nth(5) >> number(), "[1]"), "nth: index 5 is out of range for a sequence of 1");
  EXPECT_EQ(refusal(object() >> blk::get_item("x") >> number(), R"({"x": true})"),
            "$.x: a boolean is given; a number is needed");
  EXPECT_EQ(refusal(field("z"), R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1})"),
            "no field z; it has a, b, c, d, e, f, g, h, … (10)");
}

TEST_F(ByHand, TextsStayInTheirQuotes) {
  const std::string name = "a\": b\n\x1b";
  const Json x{{name, "\tc\"\\"}};
  EXPECT_EQ(refusal(field(name) >> number(), x), R"($["a\": b\n\u001b"]: a string is given; a number is needed)");
  EXPECT_EQ(refusal(object() >> blk::get_item(name) >> number(), x),
            R"($["a\": b\n\u001b"]: a string is given; a number is needed)");
  EXPECT_EQ(refusal(field(name) >> one_hot({"c"}), x),
            R"($["a\": b\n\u001b"]: "\tc\"\\" is given; one of "c" is needed)");
  EXPECT_EQ(refusal(field("b c"), x), R"(no field "b c"; it has "a\": b\n\u001b")");
}

TEST_F(ByHand, AnErrorEndsWithTheLineOfTheLeaf) {
  const auto line = __LINE__ + 1;
  const auto charge = field("charge") >> number();
  Graph g = engine.graph();
  const Json bad{{"charge", true}};
  EXPECT_EQ(test::error_of([&] { charge(g, bad); }),
            "$.charge: a boolean is given; a number is needed (by_hand_test.cc:" + std::to_string(line) + ")");
}

TEST_F(ByHand, NumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal(number(), "1e300"), "1e+300 is given; a number that fits a float is needed, at most 3.4e38");
  EXPECT_EQ(refusal(number(), Json(std::nan(""))), "nan is given; a finite number is needed");
  EXPECT_EQ(refusal(integer(), "2.5"), "2.5 is given; an integer that fits an int is needed");
  EXPECT_EQ(refusal(integer(), "3000000000"), "3000000000 is given; an integer that fits an int is needed");
  EXPECT_EQ(refusal(integer(), "-2147483649"), "-2147483649 is given; an integer that fits an int is needed");
  EXPECT_EQ(refusal(numbers(2), "[1, 2, 3]"), "3 numbers are given; 2 are needed for [2]");
  EXPECT_EQ(refusal(numbers(2), "[1, null]"), "$[1]: null is given; a number is needed");
}

TEST_F(ByHand, UnknownCategoriesAreRefused) {
  const auto element = field("element") >> one_hot({"c", "h"});
  EXPECT_EQ(refusal(element, R"({"element": "xe"})"), "$.element: \"xe\" is given; one of \"c\", \"h\" is needed");
  EXPECT_EQ(refusal(element, R"({"element": 3})"), "$.element: a number is given; a string is needed");
  EXPECT_EQ(refusal(category({1, 2}), "1.5"), "1.5 is given; one of 1, 2 is needed");
  EXPECT_EQ(refusal(element, Json{{"element", std::string(39, 'x') + "éé"}}),
            "$.element: \"" + std::string(39, 'x') + "…\" is given; one of \"c\", \"h\" is needed");
  EXPECT_EQ(test::error_of([] { one_hot({"a", "b", "a"}, Unknown::error, {}); }),
            "one_hot: \"a\" is given twice; at least one category is needed, without duplicates");
  EXPECT_EQ(test::error_of([] { category(std::vector<int>{}, Unknown::error, {}); }),
            "category: none is given; at least one category is needed, without duplicates");
}

TEST_F(ByHand, ABadRecordLeavesNothingBehind) {
  const auto block = each(numbers(2)) >> blk::sum();
  const std::vector<Json> data{Json::parse("[[1, 2], [3, 4]]"), Json::parse("[[1, 2], [3, true]]"),
                               Json::parse("[[5, 6]]")};
  const auto batch = engine.record(data, block, {.skip_bad = true});
  ASSERT_EQ(batch.failed.size(), 1u);
  EXPECT_EQ(batch.failed[0].example, 1u);
  EXPECT_EQ(batch.calls(), 5u);  // three inputs, two sums
  EXPECT_EQ(batch.positions, (std::vector<size_t>{0, 2}));
  const auto sums = engine.infer(batch);
  EXPECT_EQ(sums[0].to_vector(), (Row{4, 6}));
  EXPECT_EQ(sums[1].to_vector(), (Row{5, 6}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
