// Lesson 2: training on minibatches.
//
// The task: evaluate a tree of NAND gates over true and false. The label is the truth value at the root; from it alone
// the network must learn the function of a gate. Every tree has a different structure. The training loop is the one you
// know from PyTorch: record, backward, step. There is no padding, no masking and no zero_grad.
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Tree {
  bool value = false;
  std::unique_ptr<Tree> left{}, right{};  // both null: a leaf
};

Tree random_tree(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 4 == 0) return {random() % 2 == 1};
  auto left = std::make_unique<Tree>(random_tree(random, depth - 1));
  auto right = std::make_unique<Tree>(random_tree(random, depth - 1));
  const bool value = !(left->value && right->value);
  return {value, std::move(left), std::move(right)};
}

struct Model {
  esp::nn::Embedding bits;
  esp::nn::TreeLSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : bits(p / "bits", 2, 8), lstm(p / "lstm", 8, 16), out(p / "out", 16, 2) {}

  esp::nn::State encode(esp::Graph& g, const Tree& t) const {
    if (!t.left) return lstm.leaf(bits(g, t.value));
    const esp::nn::State left = encode(g, *t.left);
    const esp::nn::State right = encode(g, *t.right);
    return lstm.node(left, right);
  }
  Expr scores(esp::Graph& g, const Tree& t) const { return out(encode(g, t).h); }
};

// The fraction of trees that the model evaluates correctly.
double accuracy(esp::Engine& engine, const Model& model, const std::vector<Tree>& trees) {
  auto batch = engine.record(trees, [&](esp::Graph& g, const Tree& t) { return model.scores(g, t); },
                             {.mode = esp::Mode::infer});
  const std::vector<esp::Tensor> scores = engine.infer(batch);  // one result per example, in order
  esp::train::Mean right;
  for (size_t i = 0; i < trees.size(); ++i) right.add((scores[i][1] > scores[i][0]) == trees[i].value);
  return right.get();
}

int main() {
  std::mt19937 random(1);
  std::vector<Tree> train, test;
  for (int i = 0; i < 512; ++i) train.push_back(random_tree(random, 4));
  for (int i = 0; i < 256; ++i) test.push_back(random_tree(random, 6));  // deeper than the training trees

  esp::Engine engine;
  esp::Parameters params(1);
  const Model model(params);
  esp::optim::Adam adam(params, {.lr = 0.01f});

  std::printf("before: accuracy %.3f\n", accuracy(engine, model, test));
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 32, /*seed*/ 1, epoch)) {
      auto batch = engine.record(
          m, [&](esp::Graph& g, size_t i) { return cross_entropy(model.scores(g, train[i]), train[i].value); });
      auto gradients = engine.backward(batch.results, 1.f / 32);  // 1/32: gradients of the mean loss
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    std::printf("epoch %2d: loss %.4f\n", int(epoch), loss.get());
  }
  std::printf("after: accuracy %.3f on trees of %s\n", accuracy(engine, model, test),
              "up to 6 levels, trained on up to 4");
}
