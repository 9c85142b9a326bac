// Schemas inferred from samples.
#include <gtest/gtest.h>

#include <algorithm>

#include <espalier/json.h>
#include "support/error_of.h"

namespace espalier::json {
namespace ESPALIER_FILE {

// The schema of samples given as one JSON array.
Json schema_of(const char* text) {
  const Json samples = Json::parse(text);
  return infer_schema(samples.get_ref<const Json::array_t&>());
}

TEST(InferSchema, NamesKindsRangesAndCategories) {
  EXPECT_EQ(schema_of("[true, false]"), Json::parse(R"({"type": "boolean"})"));
  EXPECT_EQ(schema_of("[3, -1, 2]"), Json::parse(R"({"type": "integer", "minimum": -1, "maximum": 3})"));
  EXPECT_EQ(schema_of("[3, 0.5]"), Json::parse(R"({"type": "number", "minimum": 0.5, "maximum": 3.0})"));
  EXPECT_EQ(schema_of(R"(["b", "a", "b"])"),
            Json::parse(R"({"type": "string", "enum": ["a", "b"], "counts": [1, 2]})"));
  EXPECT_EQ(schema_of("[null, null]"), Json::parse(R"({"type": "null"})"));
  EXPECT_EQ(schema_of("[null, 1]"), Json::parse(R"({"type": ["integer", "null"], "minimum": 1, "maximum": 1})"));
}

TEST(InferSchema, NestsObjectsAndArrays) {
  EXPECT_EQ(schema_of(R"([{"id": 1, "tags": []}, {"id": 2, "tags": ["x"], "at": {"deep": [[1.5]]}}])"), Json::parse(R"({
    "type": "object",
    "properties": {
      "at": {"type": "object", "required": ["deep"], "properties": {
        "deep": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
          "type": "array", "minItems": 1, "maxItems": 1,
          "items": {"type": "number", "minimum": 1.5, "maximum": 1.5}}}}},
      "id": {"type": "integer", "minimum": 1, "maximum": 2},
      "tags": {"type": "array", "minItems": 0, "maxItems": 1, "items": {"type": "string", "enum": ["x"], "counts": [1]}}
    },
    "required": ["id", "tags"]
  })"));
  EXPECT_EQ(schema_of("[[], []]"), Json::parse(R"({"type": "array", "minItems": 0, "maxItems": 0})"));
  EXPECT_EQ(schema_of("[{}]"), Json::parse(R"({"type": "object", "properties": {}, "required": []})"));
}

TEST(InferSchema, SeveralKindsAreAlternatives) {
  EXPECT_EQ(schema_of(R"(["a", 1, null, [2]])"), Json::parse(R"({"anyOf": [
    {"type": "integer", "minimum": 1, "maximum": 1},
    {"type": "string", "enum": ["a"], "counts": [1]},
    {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "integer", "minimum": 2, "maximum": 2}},
    {"type": "null"}]})"));
}

// An integer is a code if it has few distinct values that repeat often.
TEST(InferSchema, TellsCodesFromAmounts) {
  std::vector<Json> codes, amounts, names;
  for (int i = 0; i < 640; ++i) codes.push_back(i % 64), amounts.push_back(i % 65);
  EXPECT_EQ(infer_schema(codes)["enum"].size(), 64u);
  EXPECT_EQ(infer_schema(codes)["counts"][0], 10);
  EXPECT_FALSE(infer_schema(amounts).contains("enum"));
  EXPECT_FALSE(infer_schema(std::span(codes).first(64 * 8 - 1)).contains("enum"));
  for (int i = 0; i <= 1000; ++i) names.push_back(std::to_string(i));
  EXPECT_EQ(infer_schema(std::span(names).first(1000))["enum"].size(), 1000u);
  EXPECT_EQ(infer_schema(names), Json::parse(R"({"type": "string"})"));
}

TEST(InferSchema, LargeIntegersAreNumbers) {
  EXPECT_EQ(schema_of("[18446744073709551615, -1]"),
            Json::parse(R"({"type": "number", "minimum": -1.0, "maximum": 18446744073709551615.0})"));
  EXPECT_EQ(schema_of("[9223372036854775807, -9223372036854775808]"),
            Json::parse(R"({"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807})"));
}

TEST(InferSchema, DoesNotDependOnTheOrder) {
  std::vector<Json> samples;
  for (const char* text :
       {R"({"a": 1, "b": [1, 2]})", R"({"a": 1.0})", R"({"a": null, "b": ["x", {"c": true}]})", R"({"b": []})"})
    samples.push_back(Json::parse(text));
  const std::string first = infer_schema(samples).dump();
  std::ranges::sort(samples);
  do EXPECT_EQ(infer_schema(samples).dump(), first);
  while (std::ranges::next_permutation(samples).found);
}

TEST(InferSchema, RefusesWhatHasNoSchema) {
  EXPECT_EQ(test::error_of([] { infer_schema({}); }), "infer_schema: no samples are given; at least one is needed");
  const std::vector<Json> odd{1, Json{{"x", {1, std::numeric_limits<double>::infinity()}}}};
  EXPECT_EQ(test::error_of([&] { infer_schema(odd); }),
            "$.x[1]: infer_schema: sample 1 contains inf; a finite number is needed");
  const std::vector<Json> binary{Json::binary({1, 2})};
  EXPECT_EQ(test::error_of([&] { infer_schema(binary); }),
            "infer_schema: sample 0 contains binary data; text is needed");
}

TEST(InferSchema, RefusesWhatIsTooDeep) {
  auto nested = [](size_t levels) {
    std::vector<Json> samples;  // push_back, since copying such a value overflows the stack
    samples.push_back(Json::parse(std::string(levels, '[') + std::string(levels, ']')));
    return samples;
  };
  const auto deep = nested(101), too_deep = nested(102), far_too_deep = nested(100'000);
  EXPECT_EQ(infer_schema(deep)["type"], "array");
  const std::string text = test::error_of([&] { infer_schema(too_deep); });
  EXPECT_TRUE(text.starts_with("$[0][0][0]")) << text;
  EXPECT_TRUE(text.ends_with(": infer_schema: sample 0 is nested more than 100 levels deep; describe it by hand"))
      << text;
  EXPECT_EQ(test::error_of([&] { infer_schema(far_too_deep); }), text);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
