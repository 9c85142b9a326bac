// A block from a schema: its calls, its parameters and its errors.
#include <gtest/gtest.h>

#include <set>

#include <espalier/espalier.h>
#include <espalier/json.h>
#include "support/error_of.h"

namespace espalier::json {
namespace ESPALIER_FILE {

const char* const molecules = R"([
  {"logp": 4.2, "flag": true, "name": "a", "atoms": [
    {"element": "c", "charge": -0.1, "bonds": [{"kind": 1}, {"kind": 2}]},
    {"element": "h", "charge": 0.2, "bonds": []}]},
  {"logp": null, "flag": false, "name": "b", "atoms": [], "note": {"by": "me"}},
  {"logp": 1.5, "flag": true, "name": "c", "atoms": [{"element": "o", "charge": 0.3, "bonds": [{"kind": 3}]}]}])";

struct FromSchema : testing::Test {
  Engine engine{{.memoise = false}};  // counts every call
  Parameters parameters{1};

  static std::vector<Json> parse(const char* text) { return Json::parse(text).get<std::vector<Json>>(); }
  JsonBlock derive(const std::vector<Json>& samples, SchemaOptions options = {.hidden = 4}) {
    return from_schema(parameters, infer_schema(samples), options, {});
  }
  std::vector<float> row(const JsonBlock& block, const char* text) {
    Graph g = engine.graph();
    const Json x = Json::parse(text);
    return engine.tensor(block(g, x)).to_vector();
  }
  std::string refusal(const JsonBlock& block, const char* text) {
    Graph g = engine.graph();
    const Json x = Json::parse(text);
    return test::error_of([&] { block(g, x); });
  }
  std::string schema_refusal(const char* schema) {
    const std::string text = test::error_of([&] { from_schema(parameters, Json::parse(schema), {}, {}); });
    EXPECT_TRUE(parameters.all().empty()) << "a schema that is refused leaves no parameters";
    const std::string who = "from_schema: ";
    return text.starts_with(who) ? text.substr(who.size()) : "not from_schema: " + text;
  }
};

TEST_F(FromSchema, LateParametersAreDrawnTheSame) {
  (void)derive(parse(molecules));
  Parameters late(1, Drawn::late);
  (void)from_schema(late, infer_schema(parse(molecules)), {.hidden = 4}, {});
  EXPECT_EQ(late.all().size(), parameters.all().size());
  for (const Parameter& p : late.all()) {
    EXPECT_FALSE(p.drawn()) << p.name();
    EXPECT_EQ(p.value().data, parameters[p.name()].value().data) << p.name();
  }
}

TEST_F(FromSchema, ParametersAreNamedAfterThePath) {
  const auto block = derive(parse(molecules));
  std::map<std::string, std::string> shapes;
  for (const Parameter& p : parameters.all()) shapes[p.name()] = str(p.shape());
  const std::map<std::string, std::string> expected{
      {"weight", "[4,16]"},  // atoms [4], note [4]; flag, logp, presence of logp, presence of note; name [4]
      {"bias", "[4]"},
      {"name.embedding", "[4,4]"},
      {"note.weight", "[4,2]"},
      {"note.bias", "[4]"},
      {"note.by.embedding", "[2,2]"},
      {"atoms.weight", "[4,9]"},
      {"atoms.bias", "[4]"},
      {"atoms.attend", "[4]"},
      {"atoms.items.weight", "[4,9]"},  // bonds [4], charge, element [4]
      {"atoms.items.bias", "[4]"},
      {"atoms.items.element.embedding", "[4,4]"},
      {"atoms.items.bonds.weight", "[4,9]"},
      {"atoms.items.bonds.bias", "[4]"},
      {"atoms.items.bonds.attend", "[4]"},
      {"atoms.items.bonds.items.weight", "[4,1]"},
      {"atoms.items.bonds.items.bias", "[4]"},
  };
  EXPECT_EQ(shapes, expected);
  EXPECT_EQ(block::str(block.shapes()), "[4]");
}

// One call per object and per list, zeros for the two missing notes; records batch position by position.
TEST_F(FromSchema, AnObjectIsOneCallAndRecordsBatch) {
  const auto block = derive(parse(molecules));
  const auto three = engine.record(parse(molecules), block);
  EXPECT_EQ(
      three.calls(),
      3u + 3u + 3u + 3u + 3u + 1u + 2u);  // records, lists of atoms, atoms, lists of bonds, bonds; one note, two zeros
  std::vector<Json> many;
  for (int i = 0; i < 20; ++i)
    for (const Json& x : parse(molecules)) many.push_back(x);
  engine.reset_counters();
  EXPECT_EQ(engine.infer(engine.record(many, block)).size(), 60u);
  EXPECT_EQ(engine.counters().calls, 20u * 18u);
  EXPECT_EQ(engine.counters().steps, 7u);  // bonds, lists of bonds, atoms, lists of atoms, notes, zeros, records
}

TEST_F(FromSchema, EqualLeavesAreComputedOnce) {
  Engine sharing;
  const auto block = derive(parse(R"([{"a": ["x", "y", "x", "x"]}])"));
  const std::vector<Json> same(5, Json::parse(R"({"a": ["x", "y", "x", "x"]})"));
  EXPECT_EQ(sharing.record(same, block).calls(), 2u + 5u + 5u);
}

TEST_F(FromSchema, NumbersAreNormalisedByTheirRange) {
  const auto block = derive(parse("[-2, 6]"));
  auto weight = parameters["weight"], bias = parameters["bias"];
  auto number = [&](const char* text) { return std::atanh(row(block, text)[0]) / weight.value()[0]; };
  EXPECT_NEAR(number("-2"), -1, 1e-5);
  EXPECT_NEAR(number("2"), 0, 1e-5);
  EXPECT_NEAR(number("6"), 1, 1e-5);
  EXPECT_NEAR(number("7.0"), 1.25, 1e-4);  // extrapolates outside the range
  EXPECT_EQ(refusal(block, "1e300"), "1e+300 is given; a number closer to the range -2.0 to 6.0 is needed");
  Parameters others(1), more(1);
  const auto wide = from_schema(others, infer_schema(parse("[-1e308, 1e308]")), {.hidden = 4});
  weight = others["weight"];
  EXPECT_NEAR(std::atanh(row(wide, "1e308")[0]) / weight.value()[0], 1, 1e-5);
  const auto narrow = from_schema(more, infer_schema(parse("[0, 1e-300]")), {.hidden = 4}, {});
  EXPECT_EQ(refusal(narrow, "1"), "1 is given; a number closer to the range 0.0 to 1e-300 is needed");
}

TEST_F(FromSchema, WhatIsMissingDiffersFromEveryValue) {
  const auto samples = parse(R"([{"n": 0, "s": "a", "t": "long", "l": [1, 2, 3], "o": {"x": 1}, "b": true, "m": 3},
                                 {"n": 2, "s": "b", "t": "text", "l": [1], "o": {"x": 3}, "b": false, "m": "x"}, {}])");
  const auto block = derive(samples, {.hidden = 4, .max_categories = 2});
  const auto full = row(block, samples[0].dump().c_str());
  EXPECT_EQ(row(block, R"({"n": null, "s": null, "t": null, "l": null, "o": null, "b": null, "m": null})"),
            row(block, "{}"));
  for (const auto& [name, value] : samples[0].items()) {
    Json without = samples[0];
    without.erase(name);
    EXPECT_NE(row(block, without.dump().c_str()), full) << name;
  }
}

TEST_F(FromSchema, OthersAreOneCategoryAndExtraFieldsAreIgnored) {
  const auto block = derive(parse(R"([{"s": "a"}, {"s": "b"}])"));
  EXPECT_NE(row(block, R"({"s": "a"})"), row(block, R"({"s": "b"})"));
  EXPECT_EQ(row(block, R"({"s": "new"})"), row(block, R"({"s": "newer"})"));
  EXPECT_EQ(row(block, R"({"s": "new"})"), (std::vector<float>(4, 0.f)));  // an unknown category is zero
  EXPECT_EQ(row(block, R"({"s": "a", "more": [[["anything"]]]})"), row(block, R"({"s": "a"})"));
}

TEST_F(FromSchema, CodesAreTheIntegersOfTheirEnum) {
  const Json codes{
      {"type", "integer"}, {"enum", {INT64_MIN, 3, INT64_MAX}}, {"minimum", INT64_MIN}, {"maximum", INT64_MAX}};
  const auto block = from_schema(parameters, codes, {.hidden = 4}, {});
  auto table = parameters["embedding"];
  const Tensor value = table.value();
  auto reads_row = [&](size_t k, const char* text) {  // changing this element changes the row
    const auto before = row(block, text);
    std::vector<float> changed = value.to_vector();
    changed[4 * k] += 1;
    table.assign({value.shape(), std::move(changed)});
    const bool differs = row(block, text) != before;
    table.assign(value);
    return differs;
  };
  EXPECT_TRUE(reads_row(0, "-9223372036854775808"));
  EXPECT_TRUE(reads_row(1, "3"));
  EXPECT_TRUE(reads_row(1, "3.0"));
  EXPECT_TRUE(reads_row(2, "9223372036854775807"));
  for (const char* other : {"4", "3.5", "18446744073709551615", "9223372036854775808", "1e19"})
    EXPECT_TRUE(reads_row(3, other)) << other;
}

TEST_F(FromSchema, TextsAreReadByTheirLetters) {
  const auto samples = parse(R"(["ab", "cd", "ef"])");
  const auto block = derive(samples, {.hidden = 4, .max_categories = 2, .max_letters = 5});
  EXPECT_EQ(parameters["letters.weight"].shape(), (Shape{257, 4}));
  EXPECT_NE(row(block, R"("abc")"), row(block, R"("acb")"));
  EXPECT_EQ(row(block, R"("abcdefg")"), row(block, R"("abcdexyz")"));
  EXPECT_EQ(row(block, R"("")").size(), 4u);
  EXPECT_EQ(refusal(block, "3"), "a number is given; a string is needed");
}

TEST_F(FromSchema, ArraysOfSoManyNumbersAreVectors) {
  const auto block = derive(parse("[[1, 2, 3], [4, 5, 6]]"));
  EXPECT_EQ(parameters["weight"].shape(), (Shape{4, 3}));
  EXPECT_NE(row(block, "[1, 2, 3]"), row(block, "[3, 2, 1]"));
  EXPECT_EQ(refusal(block, "[1, 2]"), "2 numbers are given; 3 are needed for [3]");
  EXPECT_EQ(refusal(block, R"([1, "2", 3])"), "$[1]: a string is given; a number is needed");
  EXPECT_EQ(refusal(block, "{}"), "an object is given; an array is needed");
  // A C++ int is stored as a signed number; a parsed number is unsigned.
  const Json three{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 3}, {"maxItems", 3}};
  Parameters others(1);
  EXPECT_EQ(row(from_schema(others, three, {.hidden = 5}), "[1, 2, 3]").size(), 5u);
}

TEST_F(FromSchema, TakesAlternativesNullsAndNothing) {
  const auto block = derive(parse(R"([1, "a", [1, null, {}], null, {"x": {}, "y": []}])"));
  float start = 0.1f;  // biases are initially 0, which would make many results equal
  for (Parameter p : parameters.all("*bias")) p.assign({{4}, std::vector<float>(4, start *= 1.2f)});
  std::set<std::vector<float>> rows;
  for (const char* text :
       {"1", R"("a")", "[]", "[1, null]", "[{}]", "null", R"({"x": {}, "y": []})", R"({"x": {}, "y": [7]})"})
    rows.insert(row(block, text));
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_EQ(refusal(block, "true"), "a boolean is given; a number or a string or an array or an object is needed");
}

TEST_F(FromSchema, TakesManyFields) {
  Json record = Json::object(), other;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    record["n" + n] = i, record["s" + n] = "a", record["o" + n] = {{"x", i}}, record["b" + n] = i % 2 == 0;
  }
  other = record;
  other["o99"]["x"] = 1;
  const auto block = derive({record, other});
  EXPECT_NE(row(block, record.dump().c_str()), row(block, other.dump().c_str()));
  const std::vector<Json> data{record, other};
  const auto batch = engine.record(data, [&](Graph& g, const Json& x) { return sum_elements(block(g, x)); });
  EXPECT_GT(engine.backward(batch.results).norm(), 0);
}

TEST_F(FromSchema, NamesOfFieldsDoNotCollide) {
  const auto samples =
      parse(R"([{"a": {"b": [null, {}]}, "a.b": [{}], "a%2Eb": [{}], "": {}, "weight": {}, "%": {}}])");
  EXPECT_NO_THROW(derive(samples));
}

TEST_F(FromSchema, RecordsThatDoNotFitAreRefused) {
  const auto block = derive(parse(molecules));
  EXPECT_EQ(refusal(block, R"({"logp": 1, "flag": 1, "name": "a", "atoms": []})"),
            "$.flag: a number is given; a boolean is needed");
  EXPECT_EQ(refusal(block,
                    R"({"logp": 1, "flag": true, "name": "a", "atoms": [
                               {"charge": 1, "element": "c", "bonds": [{"kind": "1"}]}]})"),
            "$.atoms[0].bonds[0].kind: a string is given; a number is needed");
  EXPECT_EQ(refusal(block, R"({"logp": 1, "flag": true, "name": "a", "atoms": [{"charge": 1, "bonds": []}]})"),
            "$.atoms[0]: no field element; it has bonds, charge");
  EXPECT_EQ(refusal(block, R"({"logp": 1, "flag": true, "name": null, "atoms": []})"),
            "$.name: null is given; a string is needed");
  EXPECT_EQ(refusal(block, "[]"), "an array is given; an object is needed");

  auto data = parse(molecules);
  data[1]["name"] = 3;
  const auto batch = engine.record(data, block, {.skip_bad = true});
  EXPECT_EQ(batch.positions, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(batch.calls(), 2u * 2u + 3u + 3u + 3u + 2u);
}

TEST_F(FromSchema, SchemasThatAreNotUnderstoodAreRefused) {
  EXPECT_EQ(schema_refusal("3"), "a number is given; an object is needed");
  EXPECT_EQ(schema_refusal(R"({"typ": "number"})"), "no field type or anyOf; it has typ");
  EXPECT_EQ(schema_refusal(R"({"type": "object", "properties": {"a": {"type": "float"}}})"),
            "$.properties.a.type: \"float\" is given; one of null, boolean, integer, number, string, array, object is "
            "needed");
  EXPECT_EQ(schema_refusal(R"({"type": ["string", "number"]})"),
            "$.type[1]: a second type is given; a type list holds one type and null; use anyOf for more");
  EXPECT_EQ(schema_refusal(R"({"type": "array", "items": {"$ref": "#"}})"),
            "$.items: $ref is not supported; write the schema inline");
  EXPECT_EQ(schema_refusal(R"({"type": "number", "minimum": 2, "maximum": 1})"),
            "the minimum is larger than the maximum");
  EXPECT_EQ(schema_refusal(R"({"type": "number", "minimum": "2"})"),
            "$.minimum: a string is given; a number is needed");
  EXPECT_EQ(schema_refusal(R"({"type": "string", "enum": []})"), "$.enum: no values are given; at least one is needed");
  EXPECT_EQ(schema_refusal(R"({"type": "string", "enum": ["a", "a"]})"), "$.enum[1]: \"a\" is given twice");
  EXPECT_EQ(schema_refusal(R"({"type": "integer", "enum": [1, 2.5]})"),
            "$.enum[1]: 2.5 is given; an integer that fits 64 bits is needed");
  EXPECT_EQ(schema_refusal(R"({"type": "integer", "enum": [18446744073709551615]})"),
            "$.enum[0]: 18446744073709551615 is given; an integer that fits 64 bits is needed");
  EXPECT_EQ(schema_refusal(R"({"type": "integer", "enum": ["1"]})"),
            "$.enum[0]: a string is given; a number is needed");
  EXPECT_EQ(schema_refusal(R"({"type": []})"), "$.type: the list of types is empty; at least one is needed");
  for (const std::string n : {"-1", "2.5", "3000000000", "4294967298", "18446744073709551615"}) {
    const std::string array = R"({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": )" + n + "}";
    EXPECT_EQ(schema_refusal(array.c_str()),
              "$.maxItems: " + n + " is given; a non-negative integer that fits an int is needed");
  }
  EXPECT_EQ(schema_refusal(R"({"type": "array", "minItems": 3, "maxItems": 2})"), "minItems is larger than maxItems");
  EXPECT_EQ(schema_refusal(R"({"type": "object", "required": [1]})"),
            "$.required[0]: a number is given; a string is needed");
  EXPECT_EQ(schema_refusal(R"({"type": "object", "required": "a"})"),
            "$.required: a string is given; an array is needed");
  EXPECT_EQ(schema_refusal(R"({"anyOf": [{"type": "number"}, {"type": "integer"}]})"),
            "$.anyOf[1]: a second alternative is an integer; alternatives must have different types");
  EXPECT_EQ(schema_refusal(R"({"anyOf": [{"type": "null"}]})"),
            "$.anyOf: anyOf has no alternative; at least one that is not null is needed");
  EXPECT_EQ(schema_refusal(R"({"anyOf": [{"anyOf": [{"type": "number"}]}]})"),
            "$.anyOf[0]: nested anyOf; an alternative must have one type");
  Json deep{{"type", "boolean"}};
  for (int i = 0; i < 101; ++i) deep = {{"type", "array"}, {"items", deep}};
  EXPECT_TRUE(schema_refusal(deep.dump().c_str()).ends_with(": the schema is more than 100 levels deep"));
  const Json number{{"type", "number"}};
  EXPECT_EQ(test::error_of([&] { from_schema(parameters, number, {.hidden = 0}, {}); }),
            "from_schema: hidden is 0; it must be at least 1");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
