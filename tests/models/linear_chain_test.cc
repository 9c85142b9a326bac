// LinearChain: probabilities and best sequences against enumeration of all sequences.
#include "models/linear_chain.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace espalier::models {
namespace ESPALIER_FILE {

constexpr int tags = 3;

class LinearChainOfThree : public testing::Test {
 protected:
  LinearChainOfThree() {
    chain.first.assign(random_tensor({tags}));
    chain.transitions.assign(random_tensor({tags, tags}));
  }

  Tensor random_tensor(Shape shape) {
    std::normal_distribution<float> normal(0, 2);
    std::vector<float> values(static_cast<size_t>(shape.size()));
    for (float& x : values) x = normal(random);
    return {shape, std::move(values)};
  }
  std::vector<Tensor> random_scores(size_t words) {
    std::vector<Tensor> scores;
    for (size_t i = 0; i < words; ++i) scores.push_back(random_tensor({tags}));
    return scores;
  }
  // The score of a sequence by its definition: first tag, tags of words, transitions.
  double score(const std::vector<Tensor>& scores, const std::vector<int>& sequence) const {
    const auto at = [](int t) { return static_cast<size_t>(t); };
    double sum = chain.first.value()[at(sequence[0])];
    for (size_t i = 0; i < sequence.size(); ++i) {
      sum += scores[i][at(sequence[i])];
      if (i > 0) sum += chain.transitions.value()[at(sequence[i] * tags + sequence[i - 1])];
    }
    return sum;
  }
  static std::vector<std::vector<int>> all_sequences(size_t words) {
    std::vector<std::vector<int>> all{{}};
    for (size_t i = 0; i < words; ++i) {
      std::vector<std::vector<int>> longer;
      for (const auto& s : all)
        for (int t = 0; t < tags; ++t) {
          longer.push_back(s);
          longer.back().push_back(t);
        }
      all = longer;
    }
    return all;
  }
  static std::vector<Expr> inputs(Graph& g, const std::vector<Tensor>& scores) {
    std::vector<Expr> rows;
    for (const Tensor& s : scores) rows.push_back(input(g, s.values(), s.shape()));
    return rows;
  }

  std::mt19937 random{7};
  Parameters params;
  LinearChain chain{params, tags};
  Engine engine;
};

TEST_F(LinearChainOfThree, LossesAddUpToTheShareOfTheRightSequence) {
  for (const size_t words : {1u, 2u, 5u}) {
    const std::vector<Tensor> scores = random_scores(words);
    double total = 0;
    for (const auto& s : all_sequences(words)) total += std::exp(score(scores, s));
    for (const auto& right : all_sequences(words)) {
      Graph g = engine.graph(Mode::train);
      const Expr loss = sum(chain.losses(inputs(g, scores), right));
      EXPECT_NEAR(engine.tensor(loss)[0], std::log(total) - score(scores, right), 1e-4) << words;
    }
  }
}

TEST_F(LinearChainOfThree, BestIsTheLargestOfAllSequences) {
  for (const size_t words : {1u, 2u, 6u})
    for (int trial = 0; trial < 10; ++trial) {
      const std::vector<Tensor> scores = random_scores(words);
      std::vector<int> best;
      for (const auto& s : all_sequences(words))
        if (best.empty() || score(scores, s) > score(scores, best)) best = s;
      EXPECT_EQ(chain.best(scores), best) << words;
    }
  EXPECT_TRUE(chain.best({}).empty());
}

TEST_F(LinearChainOfThree, GradientsAreThoseOfDifferences) {
  chain.first.assign({{tags}, {0.3f, -0.2f, 0.1f}});  // similar scores: the gradients of a confident chain are almost 0
  chain.transitions.assign({{tags, tags}, {0.2f, -0.4f, 0.1f, 0.5f, 0, -0.3f, -0.1f, 0.6f, 0.4f}});
  const std::vector<Parameter> rows{Scope(params).add("a", {tags}), Scope(params).add("b", {tags})};
  const GradientCheck check = check_gradients(params, [&](Graph& g) {
    return sum(chain.losses({row(g, rows[0]), row(g, rows[1]), row(g, rows[0]), row(g, rows[1])}, {2, 0, 0, 1}));
  });
  EXPECT_TRUE(check.ok()) << check.text();
}

TEST_F(LinearChainOfThree, LongSentencesDoNotOverflow) {
  Graph g = engine.graph(Mode::train);
  std::vector<Tensor> scores(2000, Tensor{{tags}, {80, -80, 0}});
  const Expr loss = sum(chain.losses(inputs(g, scores), std::vector<int>(2000, 0)));
  EXPECT_NEAR(engine.tensor(loss)[0], 0, 0.1);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::models
