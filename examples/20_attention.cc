// Lesson 20: feed-forward attention over long sequences (Raffel & Ellis 2016).
//
// Each step is a number and a mark. Two steps are marked; the target is the sum of their numbers. The model has no
// recurrence: it takes a weighted mean over all steps and learns the weights. Its depth does not depend on the length.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr;

struct Step {
  float number, mark;
};

// --- model from here
Block<std::vector<Step>, Expr> sum_of_marked(esp::Scope p, int h) {
  auto step = record(scalar(), scalar()) >> concat() >> esp::nn::FC(p / "step", 2, h, {.activation = esp::tanh});
  return identity<std::vector<Step>>() >> map(step) >> esp::nn::FeedForwardAttention(p / "attend", h) >>
         esp::nn::FC(p / "mean", h, h) >> esp::nn::Linear(p / "out", h, 1);
}
// --- to here

struct Example {
  std::vector<Step> steps;
  float sum = 0;
};
Example random_example(std::mt19937& random, size_t shortest, size_t longest) {
  Example e;
  e.steps.resize(shortest + random() % (longest - shortest + 1));
  for (Step& s : e.steps) s = {static_cast<float>(random() % 2001) / 1000 - 1, 0};
  const size_t n = e.steps.size(), first = random() % (n / 2), second = n / 2 + random() % (n - n / 2);
  for (size_t i : {first, second}) {
    e.steps[i].mark = 1;
    e.sum += e.steps[i].number;
  }
  return e;
}

int main() {
  std::mt19937 random(20);
  std::vector<Example> train(2000), test(200);
  for (Example& e : train) e = random_example(random, 20, 60);
  for (Example& e : test) e = random_example(random, 20, 60);

  esp::Engine engine;
  esp::Parameters params(20);
  const auto model = sum_of_marked(params, 32);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 20, epoch)) {
      auto batch = engine.record(m, [&](esp::Graph& g, size_t i) {
        const float sum[] = {train[i].sum};
        return mse_loss(model(g, train[i].steps), input(g, sum, {1}));
      });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    if (epoch % 4 == 3) std::printf("epoch %2d: mean squared error %.4f\n", static_cast<int>(epoch), loss.get());
  }

  auto batch = engine.record(test, field<&Example::steps>() >> model, {.mode = esp::Mode::infer});
  const std::string how = engine.explain(batch);
  std::printf("%s\n", how.substr(0, how.find('\n')).c_str());
  const std::vector<esp::Tensor> sums = engine.infer(batch);
  esp::train::Mean right;
  for (size_t i = 0; i < test.size(); ++i) right.add(std::abs(sums[i][0] - test[i].sum) < 0.15f);
  std::printf("within 0.15 of the sum: %.3f\n", right.get());
}
