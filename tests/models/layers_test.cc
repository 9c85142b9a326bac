// FC and FractalNet: formulas, and dropped paths in training.
#include <set>

#include "models/fixture.h"
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

template <class M>
std::vector<Expr> of_each(const M& m, const Example& e) {
  std::vector<Expr> out;
  for (Expr x : e.list("x")) {
    if constexpr (std::is_invocable_v<const M&, Graph&, Expr>)
      out.push_back(m(e.g, x));
    else
      out.push_back(m(x));
  }
  return out;
}

TEST(Layers, Fc) {
  expect_fixture(
      "fc", [](Scope p) { return nn::FC(p, 3, 4, {.activation = tanh, .layer_norm = true}); }, of_each<nn::FC>);
}

TEST(Layers, FcDropsItsInputInTraining) {
  Parameters params;
  const nn::FC layer(params, 2, 2, {.activation = nullptr, .dropout = 0.5f});
  params["weight"].assign({{2, 2}, {1, 0, 0, 1}});
  Engine engine({.seed = 4});
  auto value = [&](Mode mode, uint64_t example) {
    Graph g = engine.graph(mode);
    g.example(example);
    const Expr y = layer(full(g, {2}, -3.f));
    EXPECT_EQ(g.calls(), 2u);  // the input and the whole layer
    return engine.tensor(y).to_vector();
  };
  EXPECT_EQ(value(Mode::infer, 0), (std::vector<float>{-3, -3}));
  std::set<float> seen;
  for (uint64_t i = 0; i < 40; ++i)
    for (float v : value(Mode::train, i)) seen.insert(v);
  EXPECT_EQ(seen, (std::set<float>{-6, 0}));
}

nn::FC small(Scope p) { return nn::FC(p, 2, 2, {.activation = tanh}); }

TEST(Layers, FractalNet) {
  expect_fixture(
      "fractal_net", [](Scope p) { return nn::FractalNet(p, 2, 3, small); }, of_each<nn::FractalNet<nn::FC>>);
  Parameters params;
  EXPECT_EQ(error_of([&] { nn::FractalNet(params, 0, 3, small); }),
            "FractalNet: 0 blocks of 3 columns; it needs at least one block, and 1…16 columns");
  EXPECT_EQ(error_of([&] { nn::FractalNet(params, 1, 17, small); }),
            "FractalNet: 1 blocks of 17 columns; it needs at least one block, and 1…16 columns");
  EXPECT_TRUE(params.all().empty());
}

// The number of calls of an example shows which paths were used.
size_t calls(const nn::FractalNet<nn::FC>& net, Engine& engine, Mode mode, uint64_t example) {
  Graph g = engine.graph(mode);
  g.example(example);
  net(g, zeros(g, {2}));
  return g.calls() - 1;
}

TEST(Layers, FractalNetTakesOneColumnOrDropsSidesOfJoins) {
  Parameters params;
  Engine engine({.seed = 1});
  const nn::FractalNet global(params / "global", 2, 3, small, {.drop_path = 0.5f, .share_global = 1});
  const nn::FractalNet local(params / "local", 2, 3, small, {.drop_path = 0.5f, .share_global = 0});
  std::set<size_t> of_global, of_local;
  for (uint64_t i = 0; i < 100; ++i) {
    of_global.insert(calls(global, engine, Mode::train, i));
    of_local.insert(calls(local, engine, Mode::train, i));
    EXPECT_EQ(calls(local, engine, Mode::train, i), calls(local, engine, Mode::train, i)) << i;
    EXPECT_EQ(calls(local, engine, Mode::infer, i), 2u * (7 + 3)) << i;  // seven layers, three joins
  }
  EXPECT_EQ(of_global, (std::set<size_t>{2 * 1, 2 * 2, 2 * 4}));  // a column of 1, 2 or 4 layers, and no join
  EXPECT_GT(of_local.size(), 6u);
  EXPECT_GE(*of_local.begin(), 2u);  // a path always survives
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
