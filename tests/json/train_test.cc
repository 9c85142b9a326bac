// Models derived from samples learn, on synthetic orders and on the molecules of the mutagenesis data set.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include <espalier/espalier.h>
#include <espalier/json.h>
#include "support/data_file.h"

namespace espalier::json {
namespace ESPALIER_FILE {

struct Labelled {
  Json record;
  int label;
};

struct Classifier {
  Parameters parameters{3};
  Engine engine{{.seed = 1}};
  JsonBlock record;
  nn::Linear out;
  optim::Adam adam{parameters, {.lr = 0.01f}};

  Classifier(const Json& schema, SchemaOptions options, int labels)
      : record(from_schema(parameters / "record", schema, options)), out(parameters / "out", options.hidden, labels) {}

  double epoch(std::span<const Labelled> data, uint64_t number) {
    train::Mean loss;
    for (const Minibatch& m : train::minibatches(data.size(), 20, 1, number)) {
      auto batch = engine.record(
          m, [&](Graph& g, uint64_t i) { return cross_entropy(out(record(g, data[i].record)), data[i].label); });
      const Gradients gradients = engine.backward(batch.results, 1.f / static_cast<float>(m.ids.size()));
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    return loss.get();
  }
  double accuracy(std::span<const Labelled> data) {
    const auto batch = engine.record(data, [&](Graph& g, const Labelled& x) { return out(record(g, x.record)); });
    const auto scores = engine.infer(batch);
    double right = 0;
    for (size_t i = 0; i < data.size(); ++i) {
      const Tensor& s = scores[i];
      right += std::max_element(s.begin(), s.end()) - s.begin() == data[i].label;
    }
    return right / static_cast<double>(data.size());
  }
};

// An order is rejected (2) if an item of kind "x" costs more than 5, reviewed (1) if the customer is unknown or "q…",
// and accepted (0) otherwise.
std::vector<Labelled> orders(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Labelled> data;
  for (size_t i = 0; i < n; ++i) {
    Json items = Json::array();
    bool refused = false;
    for (uint32_t k = random() % 4; k > 0; --k) {
      const bool x = random() % 2 == 0;
      const double price = static_cast<double>(random() % 100) / 10;
      refused |= x && price > 5;
      items.push_back({{"kind", x ? "x" : "y"}, {"price", price}});
    }
    Json order{{"items", items}, {"day", random() % 31}};
    const uint32_t customer = random() % 4;
    if (customer > 0) order["customer"] = (customer == 1 ? "q" : "p") + std::to_string(random() % 10000);
    data.push_back({order, refused ? 2 : customer < 2 ? 1 : 0});
  }
  return data;
}

Json schema_of(std::span<const Labelled> data) {
  std::vector<Json> records;
  for (const Labelled& x : data) records.push_back(x.record);
  return infer_schema(records);
}

TEST(JsonTraining, LearnsNestedRecords) {
  const auto train = orders(400, 1), other = orders(200, 2);
  Classifier model(schema_of(train), {.hidden = 16}, 3);
  double loss = 0;
  for (uint64_t e = 0; e < 25; ++e) loss = model.epoch(train, e);
  EXPECT_LT(loss, 0.1);
  EXPECT_GT(model.accuracy(other), 0.95);
}

TEST(JsonTraining, LearnsMolecules) {
  std::ifstream file(test::data_file("json_mutagenesis/mutagenesis.json"));
  if (!file) GTEST_SKIP() << test::no_data();
  std::vector<Labelled> data;
  for (Json& x : Json::parse(file)) {
    const int label = x.at("mutagenic").get<int>();
    x.erase("mutagenic");
    data.push_back({std::move(x), label});
  }
  const std::span<const Labelled> train = std::span(data).first(100);
  Classifier model(schema_of(train), {.hidden = 32}, 2);
  const double first = model.epoch(train, 0);
  double last = 0;
  for (uint64_t e = 1; e < 6; ++e) last = model.epoch(train, e);
  EXPECT_LT(last, first);
  EXPECT_GT(model.accuracy(std::span(data).last(88)), 0.8);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
