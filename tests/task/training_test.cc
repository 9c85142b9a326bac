// Training through tasks: calls recorded in several rounds are differentiated in one backward pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <espalier/espalier.h>
#include "param/gradient_state.h"
#include "param/parameter_storage.h"

namespace espalier::test {
namespace ESPALIER_FILE {

// Reads letters. After each one it predicts the next letter, and reads its prediction as well.
struct Speller {
  nn::Embedding letters;
  nn::LSTM lstm;
  nn::Linear out;
  explicit Speller(Scope p) : letters(p / "letters", 9, 4), lstm(p / "lstm", 4, 5), out(p / "out", 5, 9) {}

  nn::State read(Graph& g, int letter, const nn::State& s) const { return lstm(letters(g, letter), s); }
  Task<Expr> loss(Graph& g, const std::vector<int>& word, std::vector<int>& guesses) const {
    nn::State s;
    std::vector<Expr> losses;
    for (const int letter : word) {
      s = read(g, letter, s);
      const Expr scores = out(dropout(s.h, 0.2f));
      losses.push_back(cross_entropy(scores, letter));
      const int guess = co_await argmax(scores);
      guesses.push_back(guess);
      s = read(g, guess, s);
    }
    co_return sum(losses);
  }
  // The same with given guesses.
  Expr loss_of(Graph& g, const std::vector<int>& word, const std::vector<int>& guesses) const {
    nn::State s;
    std::vector<Expr> losses;
    for (size_t i = 0; i < word.size(); ++i) {
      s = read(g, word[i], s);
      losses.push_back(cross_entropy(out(dropout(s.h, 0.2f)), word[i]));
      s = read(g, guesses[i], s);
    }
    return sum(losses);
  }
};

const std::vector<std::vector<int>> words{{1, 2, 3}, {4}, {7, 0}, {5, 6, 7, 8, 1, 2}, {3, 3}};

class TaskTraining : public testing::TestWithParam<int> {
 protected:
  static EngineOptions options(Device device) {
    EngineOptions o;
    o.device = device;
    o.threads = GetParam();
    return o;
  }
};

TEST_P(TaskTraining, gradients_are_those_without_waiting) {
  for (const Device device : {Device::ref(), Device::cpu()}) {
    Parameters params(3);
    const Speller model(params);
    Engine engine(options(device));
    std::vector<std::vector<int>> guesses(words.size());
    std::vector<size_t> at(words.size());
    for (size_t i = 0; i < at.size(); ++i) at[i] = i;
    const auto waited = engine.record(at, [&](Graph& g, size_t i) { return model.loss(g, words[i], guesses[i]); });
    EXPECT_EQ(waited.rounds, 6);
    Gradients through = engine.backward(waited.results);
    const auto plain = engine.record(at, [&](Graph& g, size_t i) { return model.loss_of(g, words[i], guesses[i]); });
    Gradients expected = engine.backward(plain.results);
    EXPECT_EQ(waited.calls(), plain.calls());
    EXPECT_NEAR(through.loss().get(), expected.loss().get(), 1e-4);
    EXPECT_EQ(plain.rounds, 0);
    for (const Parameter& p : params.all()) {
      const Tensor a = through.of(p), b = expected.of(p);
      ASSERT_EQ(a.size(), b.size());
      for (size_t e = 0; e < a.size(); ++e) ASSERT_NEAR(a[e], b[e], 1e-5) << p.name() << e;
    }
  }
}

// Finite differences of the task's loss. The task is recorded, waits and chooses again for every difference.
TEST_P(TaskTraining, gradients_are_slopes) {
  Parameters params(5);
  const Speller model(params);
  Engine engine(options(Device::ref()));
  std::vector<int> guesses;
  auto gradients = [&] {
    guesses.clear();
    Graph g = engine.graph();
    const Expr loss = run(engine, g, model.loss(g, words[3], guesses));
    return engine.backward(loss);
  };
  const Gradients expected = gradients();
  const std::vector<int> chosen = guesses;
  auto loss_with = [&](float& weight, float now) {
    const float before = std::exchange(weight, now);
    const double loss = gradients().state().loss.get();
    EXPECT_EQ(guesses, chosen);  // else the loss is discontinuous between the two
    weight = before;
    return loss;
  };
  size_t checked = 0;
  for (const Parameter& p : params.all()) {
    const Tensor gradient = expected.of(p);
    const float largest = std::abs(std::ranges::max(gradient.to_vector(), {}, [](float x) { return std::abs(x); }));
    for (size_t e = 0; e < gradient.size(); e += 7, ++checked) {
      float& weight = p.storage()->data.host_to_write()[e];
      const float above = weight + 0x1p-8f, below = weight - 0x1p-8f;
      const double slope = (loss_with(weight, above) - loss_with(weight, below)) / static_cast<double>(above - below);
      EXPECT_NEAR(static_cast<double>(gradient[e]), slope, 1e-3 * static_cast<double>(largest)) << p.name() << e;
    }
  }
  EXPECT_GT(checked, 30u);
}

TEST_P(TaskTraining, inference_batches_too) {
  Parameters params(3);
  const Speller model(params);
  Engine engine(options(Device::cpu()));
  std::vector<std::vector<int>> guesses(words.size());
  std::vector<size_t> at(words.size());
  for (size_t i = 0; i < at.size(); ++i) at[i] = i;
  const auto batch =
      engine.record(at, [&](Graph& g, size_t i) { return model.loss(g, words[i], guesses[i]); }, {.mode = Mode::infer});
  EXPECT_EQ(batch.rounds, 6);
  const std::vector<Tensor> losses = engine.infer(batch);
  for (size_t i = 0; i < words.size(); ++i) {
    Engine alone;
    Graph g = alone.graph(Mode::infer);
    std::vector<int> own;
    const Expr loss = run(alone, g, model.loss(g, words[i], own));
    EXPECT_EQ(own, guesses[i]);
    EXPECT_NEAR(alone.value(loss), losses[i][0], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(, TaskTraining, testing::Values(1, 3),
                         [](const auto& c) { return "threads_" + std::to_string(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
