// start() returns the same results as infer(), whatever the engine does before get().
#include <array>

#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier {
namespace ESPALIER_FILE {

struct Model {
  nn::Linear layer;
  explicit Model(Scope p) : layer(p / "layer", 3, 2) {}

  struct Answer {
    Expr scores, best;
    int number;
  };
  Answer operator()(Graph& g, int number) const {
    const auto x = static_cast<float>(number);
    const std::array<float, 3> row{x, -x, 1};
    const Expr y = tanh(layer(input(g, row, {3})));
    return {y, sum_elements(y), number};
  }
};

auto record(Engine& engine, const Model& model, const std::vector<int>& numbers) {
  return engine.record(numbers, model, {.mode = Mode::infer});
}

TEST(Inference, OfSeveralAtOnceIsThatOfEach) {
  Parameters params(3);
  const Model model(params);
  for (const int threads : {1, 3}) {
    Engine engine({.threads = threads});
    const std::vector<int> first{1, 2, 3, 4, 5}, second{6, 7}, none;
    auto a = engine.start(record(engine, model, first));
    auto b = engine.start(record(engine, model, second));
    auto c = engine.start(record(engine, model, none));
    const auto expected_a = engine.infer(record(engine, model, first));
    const auto expected_b = engine.infer(record(engine, model, second));
    const auto got_b = b.get(), got_a = a.get();
    ASSERT_EQ(got_a.size(), 5u);
    ASSERT_EQ(got_b.size(), 2u);
    EXPECT_TRUE(c.get().empty());
    const auto same = [](const auto& x, const auto& y) {
      EXPECT_EQ(std::get<0>(x).to_vector(), std::get<0>(y).to_vector());
      EXPECT_EQ(std::get<1>(x).to_vector(), std::get<1>(y).to_vector());
      EXPECT_EQ(std::get<2>(x), std::get<2>(y));
    };
    for (size_t i = 0; i < got_a.size(); ++i) same(got_a[i], expected_a[i]);
    for (size_t i = 0; i < got_b.size(); ++i) same(got_b[i], expected_b[i]);
  }
}

TEST(Inference, DoesNotSeeWhatChangesLater) {
  Parameters params(3);
  const Model model(params);
  Engine engine;
  const std::vector<int> numbers{1, 2};
  const auto before = engine.infer(record(engine, model, numbers));
  auto on_its_way = engine.start(record(engine, model, numbers));
  Parameter weight = params["layer.weight"];
  std::vector<float> changed = weight.value().to_vector();
  for (float& x : changed) x += 1;
  weight.assign({weight.shape(), std::move(changed)});
  const auto after = engine.infer(record(engine, model, numbers));
  engine.wait();
  const auto got = on_its_way.get();
  EXPECT_EQ(std::get<0>(got[0]).to_vector(), std::get<0>(before[0]).to_vector());
  EXPECT_NE(std::get<0>(got[0]).to_vector(), std::get<0>(after[0]).to_vector());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
