// Small trainings that must reach a loss, with the same result under every policy and thread count.
#include <gtest/gtest.h>

#include <cmath>

#include <espalier/data/listops.h>
#include <espalier/espalier.h>

namespace espalier {
namespace ESPALIER_FILE {

namespace ops = data::listops;

struct Calculator {
  nn::Embedding tokens;
  nn::TreeLSTM lstm;
  nn::Linear out;
  explicit Calculator(Scope p)
      : tokens(p / "tokens", ops::tokens, 24), lstm(p / "lstm", 24, 24), out(p / "out", 24, 10) {}

  // Nodes are stored children first, so a loop suffices for any depth.
  Expr scores(Graph& g, const ops::BinaryTree& t) const {
    std::vector<nn::State> states(t.nodes.size());
    for (size_t i = 0; i < t.nodes.size(); ++i) {
      const auto& n = t.nodes[i];
      states[i] = n.is_leaf() ? lstm.leaf(tokens(g, n.token))
                              : lstm.node(states[static_cast<size_t>(n.left)], states[static_cast<size_t>(n.right)]);
    }
    return out(states.back().h);
  }
};

std::vector<ops::BinaryTree> small_trees(size_t n) {
  std::vector<ops::BinaryTree> trees;
  ops::Options options;
  options.max_depth = 2;
  options.max_args = 3;
  for (const auto& e : ops::generate(n, 11, options)) trees.push_back(ops::binarise(e));
  return trees;
}

double train_calculator(EngineOptions options, int epochs, std::vector<double>* curve = nullptr) {
  const auto trees = small_trees(120);
  Parameters params(5);
  const Calculator model{Scope(params)};
  Engine engine(options);
  optim::Adam adam(params, {.lr = 0.01f});
  double last = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train::Mean loss;
    for (const Minibatch& m : train::minibatches(trees.size(), 20, 1, static_cast<uint64_t>(epoch))) {
      auto batch = engine.record(
          m, [&](Graph& g, uint64_t i) { return cross_entropy(model.scores(g, trees[i]), trees[i].value()); });
      const Gradients grads = engine.backward(batch.results, 1.f / static_cast<float>(m.ids.size()));
      adam.step(grads);
      loss.add(grads.loss());
    }
    last = loss.get();
    if (curve != nullptr) curve->push_back(last);
  }
  return last;
}

TEST(Training, ATreeLstmLearnsItsTrainingSet) { EXPECT_LT(train_calculator({}, 60), 0.15); }

TEST(Training, TheCurveIsTheSameBitsTwice) {
  std::vector<double> a, b;
  train_calculator({}, 3, &a);
  train_calculator({}, 3, &b);
  EXPECT_EQ(a, b);
}

TEST(Training, EveryPolicyAndThreadCountFollowsTheSameCurve) {
  std::vector<double> truth;
  train_calculator({.device = Device::ref(), .policy = Policy::none}, 3, &truth);
  for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic})
    for (int threads : {1, 2}) {
      std::vector<double> curve;
      train_calculator({.policy = policy, .threads = threads}, 3, &curve);
      for (size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(curve[i], truth[i], 1e-3 * truth[i]);
    }
}

// A lookup table that is also used as a matrix gets a dense gradient from both uses.
TEST(Training, ATiedTableLearnsToCopy) {
  Parameters params(2);
  nn::Embedding words(params / "words", 12, 16);
  nn::Linear inner(params / "inner", 16, 16);
  Engine engine;
  optim::Adam adam(params, {.lr = 0.02f});
  std::vector<int> ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  float loss = 0;
  for (int step = 0; step < 150; ++step) {
    auto batch = engine.record(ids, [&](Graph& g, int i) {
      return cross_entropy(linear(tanh(inner(words(g, i))), words.weight), (i + 5) % 12);
    });
    const Gradients grads = engine.backward(batch.results);
    adam.step(grads);
    loss = grads.loss().get();
  }
  EXPECT_LT(loss, 0.5f);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
