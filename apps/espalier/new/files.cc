#include "new/files.h"

namespace espalier::app {

const std::array<NewFile, 4> new_files{
    {{"CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(espalier 0.5 REQUIRED)
add_executable(@NAME@ main.cc)
target_link_libraries(@NAME@ PRIVATE espalier::espalier)
)"},
     {"main.cc",
      R"(// Learns the largest digit of a tree. The network is written for ONE tree; Espalier batches the whole minibatch.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Tree {  // replace with your own data
  int largest = 0;
  std::vector<Tree> kids{};  // none or two
};

Tree grow(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 4 == 0) return {static_cast<int>(random() % 10)};
  const Tree left = grow(random, depth - 1), right = grow(random, depth - 1);
  return {std::max(left.largest, right.largest), {left, right}};
}

struct Model {
  static constexpr int n = 32;
  esp::nn::Embedding digits;
  esp::Parameter W, b;
  esp::Cell<Expr(Expr, Expr)> node;  // a small program, traced once; its calls are batched
  esp::nn::Linear out;

  explicit Model(esp::Scope p)
      : digits(p / "digits", 10, n),
        W(p.add("W", {n, 2 * n})),
        b(p.add("b", {n}, esp::init::constant(0))),
        node(p.cell("node", {{n}, {n}}, [&](Expr l, Expr r) { return tanh(linear(concat(l, r), W, b)); })),
        out(p / "out", n, 10) {}

  Expr encode(esp::Graph& g, const Tree& t) const {
    return t.kids.empty() ? digits(g, t.largest) : node(encode(g, t.kids[0]), encode(g, t.kids[1]));
  }
  Expr scores(esp::Graph& g, const Tree& t) const { return out(encode(g, t)); }
};

double accuracy(esp::Engine& engine, const Model& model, const std::vector<Tree>& trees) {
  auto batch = engine.record(trees, [&](esp::Graph& g, const Tree& t) { return model.scores(g, t); },
                             {.mode = esp::Mode::infer});
  const auto scores = engine.infer(batch);
  esp::train::Mean right;
  for (size_t i = 0; i < trees.size(); ++i)
    right.add(std::ranges::max_element(scores[i]) - scores[i].begin() == trees[i].largest);
  return right.get();
}

int main() {
  std::mt19937 random(1);
  std::vector<Tree> train, dev;
  for (int i = 0; i < 2200; ++i) (i < 200 ? dev : train).push_back(grow(random, 5));

  esp::Engine engine({.seed = 1});
  esp::Parameters params(1);
  const Model model(params);
  esp::optim::Adam adam(params, {.lr = 0.003f, .clip_norm = 5});
  double best = 0;
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 32, /*seed*/ 1, epoch)) {
      auto batch = engine.record(m, [&](esp::Graph& g, uint64_t i) {
        return cross_entropy(model.scores(g, train[i]), train[i].largest);
      });
      const auto gradients = engine.backward(batch.results, 1.f / static_cast<float>(m.ids.size()));
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    const double dev_accuracy = accuracy(engine, model, dev);
    std::printf("epoch %d: loss %.3f, dev accuracy %.3f\n", static_cast<int>(epoch), loss.get(), dev_accuracy);
    if (dev_accuracy > best) esp::io::save("best.safetensors", {.params = &params});
    best = std::max(best, dev_accuracy);
  }
  std::printf("best.safetensors: dev accuracy %.3f\n", best);
}
)"},
     {"README.md", R"(# @NAME@

A network over trees, created by `espalier new @NAME@`.

    cmake -S . -B build -DCMAKE_PREFIX_PATH=ESPALIER_INSTALL_FOLDER
    cmake --build build
    build/@NAME@          # takes seconds; writes best.safetensors to the current folder

`Tree` and `grow` in main.cc are the data, `Model` is the network, `main` is the training. `engine.explain(batch)` shows
what is batched, and what is not and why.
)"},
     {".gitignore", "/build/\n*.safetensors\n"}}};

}  // namespace espalier::app
