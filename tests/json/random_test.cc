// Random samples: the inferred schema fits all of them. A damaged schema either gives a block or is rejected without
// side effects.
#include <gtest/gtest.h>

#include <random>

#include <espalier/espalier.h>
#include <espalier/json.h>

namespace espalier::json {
namespace ESPALIER_FILE {

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  size_t below(size_t n) { return random_() % n; }

  Json value(size_t depth) {
    switch (below(depth == 0 ? 6 : 10)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<int64_t>(random_()) * (below(2) == 0 ? 1 : -(int64_t{1} << 20));
      case 3:
        return below(5);
      case 4:
        return std::ldexp(static_cast<double>(random_()), static_cast<int>(below(200)) - 150);
      case 5:
        return std::string(below(4), static_cast<char>('a' + below(5)));
      case 6:
      case 7: {
        Json array = Json::array();
        for (size_t n = below(4); n > 0; --n) array.push_back(value(depth - 1));
        return array;
      }
      default: {
        Json object = Json::object();
        for (size_t n = below(4); n > 0; --n) object[name()] = value(depth - 1);
        return object;
      }
    }
  }
  std::vector<Json> samples() {
    std::vector<Json> all;
    for (size_t n = 1 + below(6); n > 0; --n) all.push_back(value(4));
    return all;
  }
  // Replaces a random value.
  void damage(Json& x) {
    if (!x.is_structured() || x.empty() || below(4) == 0) {
      x = below(2) == 0 ? value(2) : Json("string");
      return;
    }
    auto place = x.begin();
    std::advance(place, below(x.size()));
    damage(*place);
  }

 private:
  std::string name() { return std::vector<const char*>{"a", "b", "a.b", "", "weight", "%"}[below(6)]; }
  std::mt19937 random_;
};

TEST(RandomJson, ASchemaFitsItsSamples) {
  Engine engine;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    const std::vector<Json> samples = draw.samples();
    const Json schema = Json::parse(infer_schema(samples).dump());
    Parameters parameters(seed);
    const auto block = from_schema(parameters, schema, {.hidden = 3, .max_categories = static_cast<int>(seed % 4)});
    try {
      const auto batch = engine.record(samples, [&](Graph& g, const Json& x) { return sum_elements(block(g, x)); });
      const auto gradients = engine.backward(batch.results);
      ASSERT_TRUE(std::isfinite(gradients.loss().get()) && std::isfinite(gradients.norm())) << "seed " << seed;
    } catch (const Error& e) {
      FAIL() << "seed " << seed << ": " << e.what() << "\n" << Json(samples).dump() << "\n" << schema.dump(1);
    }
  }
}

TEST(RandomJson, ADamagedSchemaIsRefusedOrMakesABlock) {
  size_t refused = 0, made = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Draw draw(seed);
    Json schema = infer_schema(draw.samples());
    draw.damage(schema);
    Parameters parameters(seed);
    try {
      from_schema(parameters, schema, {.hidden = 3});
      ++made;
    } catch (const DataError& e) {
      ++refused;
      EXPECT_TRUE(std::string(e.what()).starts_with("from_schema: ")) << e.what();
      EXPECT_TRUE(parameters.all().empty());
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(made, 100u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
