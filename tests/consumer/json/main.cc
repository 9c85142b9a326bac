// A user's program with JSON: a block written by hand, a block from samples, and a library error caught by its type.
#include <cstdio>

#include <espalier/espalier.h>
#include <espalier/json.h>

namespace esp = espalier;
namespace js = espalier::json;

int main() {
  esp::Engine engine;
  esp::Parameters params(1);
  std::vector<js::Json> samples;
  for (int i = 0; i < 10; ++i) samples.push_back({{"x", i}, {"tags", js::Json::array({i % 2 ? "odd" : "even"})}});
  const auto derived = js::from_schema(params / "record", js::infer_schema(samples), {.hidden = 8});
  const auto by_hand = js::field("tags") >> js::each(js::one_hot({"odd", "even"})) >> esp::block::sum();
  const auto rows = engine.infer(engine.record(samples, esp::block::all_of(derived, by_hand) >> esp::block::concat()));
  std::printf("%zu rows of %d\n", rows.size(), rows[0].shape()[0]);

  samples[3]["tags"][0] = "neither";
  bool refused = false;
  try {
    engine.record(samples, by_hand);
  } catch (const esp::DataError& e) {
    refused = true;
    std::printf("refused: %s\n", e.what());
  }
  return refused && rows.size() == 10 && rows[0].shape() == esp::Shape{10} ? 0 : 1;
}
