// Whole training runs with the engine's gradients: frozen and shared parameters, groups, every optimiser.
#include <gtest/gtest.h>
#include <espalier/espalier.h>

namespace espalier::optim {
namespace ESPALIER_FILE {

// Classifies words; word w belongs to class w mod 3.
struct Classifier {
  Parameters params{3};
  nn::Embedding words{params / "words", 12, 6};
  nn::Linear hidden{params / "hidden", 6, 6}, out{params / "out", 6, 3};
  Engine engine;

  Gradients gradients() {
    const std::vector<int> ids{0, 1, 2, 3, 4, 5, 6, 7, 8};  // three words never occur
    auto batch = engine.record(ids, [&](Graph& g, int w) {
      return cross_entropy(out(tanh(hidden(tanh(hidden(words(g, w)))))), w % 3);  // uses the hidden layer twice
    });
    return engine.backward(batch.results, 1.f / 9);
  }
  float train(Optimizer opt, int steps) {
    float loss = 0;
    for (int step = 0; step < steps; ++step) {
      const Gradients g = gradients();
      opt.step(g);
      loss = g.loss().get();
    }
    return loss;
  }
};

TEST(Training, FrozenParametersStayAndTheOthersLearn) {
  Classifier c;
  for (Parameter p : c.params.all("hidden.*")) p.freeze();
  const Tensor weight = c.hidden.weight.value(), words = c.words.weight.value();
  EXPECT_LT(c.train(Adam(c.params, {.lr = 0.05f, .weight_decay = 0.01f}), 100), 0.1f);
  EXPECT_EQ(c.hidden.weight.value().to_vector(), weight.to_vector());
  EXPECT_NE(c.words.weight.value().to_vector(), words.to_vector());
  for (Parameter p : c.params.all("hidden.*")) p.freeze(false);
  c.train(Adam(c.params), 1);
  EXPECT_NE(c.hidden.weight.value().to_vector(), weight.to_vector());
}

TEST(Training, ASharedParameterIsUpdatedOnceByTheSumOfItsGradients) {
  Classifier c;
  const Gradients g = c.gradients();
  const Tensor before = c.hidden.weight.value(), gradient = g.of(c.hidden.weight);
  SGD(c.params, {.lr = 0.5f}).step(g);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_FLOAT_EQ(c.hidden.weight.value()[i], before[i] - 0.5f * gradient[i]);

  // The expected sum of gradients: two layers with equal values that are not shared.
  Parameters apart(3);
  const nn::Embedding words(apart / "words", 12, 6);
  nn::Linear first(apart / "first", 6, 6), second(apart / "second", 6, 6), out(apart / "out", 6, 3);
  first.weight.assign(before);
  second.weight.assign(before);
  const std::vector<int> ids{0, 1, 2, 3, 4, 5, 6, 7, 8};
  auto batch = c.engine.record(
      ids, [&](Graph& graph, int w) { return cross_entropy(out(tanh(second(tanh(first(words(graph, w)))))), w % 3); });
  const Gradients parts = c.engine.backward(batch.results, 1.f / 9);
  const Tensor a = parts.of(first.weight), b = parts.of(second.weight);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(gradient[i], a[i] + b[i], 1e-6f);
}

// As in the published training of Tree-LSTMs on sentiment: word vectors with a tenth of the rate and without decay.
TEST(Training, AGroupGivesWordVectorsATenthOfTheRate) {
  Classifier grouped, plain;
  const Tensor before = grouped.words.weight.value();
  SGD opt(grouped.params, {.lr = 1, .weight_decay = 0.5f});
  opt.group("words.*", 0.1f, 0.f);
  grouped.train(opt, 1);
  plain.train(SGD(plain.params, {.lr = 1}), 1);
  const Tensor slow = grouped.words.weight.value(), fast = plain.words.weight.value();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(slow[i] - before[i], 0.1f * (fast[i] - before[i]), 1e-7f);
}

TEST(Training, EveryOptimiserLearns) {
  const auto learns = [](auto make, float below) {
    Classifier c;
    const float loss = c.train(make(c.params), 150);
    EXPECT_LT(loss, below);
  };
  learns([](Parameters& p) { return SGD(p, {.lr = 1}); }, 0.3f);
  learns([](Parameters& p) { return SGD(p, {.lr = 0.3f, .momentum = 0.9f, .clip_norm = 1, .nesterov = true}); }, 0.1f);
  learns([](Parameters& p) { return CyclicalSGD(p, {.base_lr = 0.1f, .max_lr = 3, .step_size = 20}); }, 0.3f);
  learns([](Parameters& p) { return Adagrad(p, {.lr = 0.2f}); }, 0.1f);
  learns([](Parameters& p) { return Adadelta(p, {.lr = 3, .eps = 1e-4f}); }, 0.1f);
  learns([](Parameters& p) { return RMSprop(p, {.lr = 0.01f, .momentum = 0.5f, .centered = true}); }, 0.1f);
  learns([](Parameters& p) { return Adam(p, {.lr = 0.05f, .amsgrad = true}); }, 0.1f);
  learns([](Parameters& p) { return AdamW(p, {.lr = 0.05f}); }, 0.1f);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
