// The code of docs/json.md, on three molecules.
#include <cstdio>

#include <espalier/espalier.h>
#include <espalier/json.h>

namespace blk = espalier::block;
namespace js = espalier::json;

int main() {
  espalier::Engine engine;
  espalier::Parameters params(1);
  std::vector<js::Json> samples;
  for (const char* text : {R"({"toxic": 1, "logp": 3.1, "atoms": [{"element": "c", "charge": 0.1}, {"element": "o"}]})",
                           R"({"toxic": 0, "logp": 1.5, "atoms": []})",
                           R"({"toxic": 1, "logp": 2.0, "atoms": [{"element": "h", "charge": -0.2}]})"})
    samples.push_back(js::Json::parse(text));

  // clang-format off
// --- docs from here
// By hand …
espalier::nn::Linear layer(params / "atom", 5, 8), out(params / "out", 8, 2);
auto atom = blk::all_of(js::field("element") >> js::one_hot({"c", "h", "o"}, js::Unknown::other),
                        js::optional_field("charge") >> js::nullable(js::number())) >> blk::concat() >> layer;
auto scores = js::field("atoms") >> js::each(atom) >> blk::mean({8}) >> out;     // Block<Json, Expr>

// … or from samples.
js::Json schema = js::infer_schema(samples);
schema["properties"].erase("toxic");                           // the label: fields outside the schema are not read
auto molecule = js::from_schema(params / "molecule", schema, {.hidden = 8});
auto loss = blk::all_of(molecule >> out, js::field("toxic") >> js::integer()) >>
            [](espalier::Expr s, int label) { return cross_entropy(s, label); };

auto batch = engine.record(samples, loss, {.skip_bad = true});  // invalid records are in batch.failed
auto gradients = engine.backward(batch.results);
// --- to here
  // clang-format on
  std::printf("loss %.3f of %zu records\n", gradients.loss().get(), batch.results.size());
  std::printf("by hand: %zu rows\n", engine.infer(engine.record(samples, scores)).size());
  std::printf("%s\n", schema["properties"]["atoms"].dump().c_str());
  std::printf("%s", params.summary("molecule.*").c_str());
  samples[2]["atoms"][0]["charge"] = "-0.2";
  batch = engine.record(samples, loss, {.skip_bad = true});
  try {
    std::rethrow_exception(batch.failed.at(0).error);
  } catch (const espalier::DataError& e) {
    std::printf("%s\n", e.what());
  }
}
