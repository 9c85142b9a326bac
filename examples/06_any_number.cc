// Lesson 6: any number of rows in one call.
//
// A Many is a list of rows passed to one call: the children of a node, the neighbours of an atom, the keys of
// attention. Inside the cell, ops map over the rows, softmax_rows normalises across them, and sum_rows, mean_rows or
// max_rows reduce them to one row. Calls with zero, one or nine rows run in the same step.
#include <cstdio>
#include <random>
#include <vector>

#include <espalier/data.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

// ---- children: ListOps expressions, such as [MAX 2 9 [MIN 4 7 ] 0 ], whose operators take any number of arguments
struct ListNet {
  esp::nn::Embedding tokens;
  esp::Cell<Expr(Expr, esp::Many<Expr>)> node;
  explicit ListNet(esp::Scope p)
      : tokens(p / "tokens", esp::data::listops::tokens, 8),
        node(p.cell("node", {{8}, {8}}, [&, join = esp::nn::Linear(p / "join", 8, 8)](Expr x, esp::Many<Expr> kids) {
          return tanh(x + join(sum_rows(kids)));  // the sum of no rows is zero, so leaves use the same cell
        })) {}
  Expr operator()(esp::Graph& g, const esp::data::listops::Expression& e) const {
    std::vector<Expr> h;
    for (uint32_t i = 0; i < e.nodes.size(); ++i) {
      std::vector<Expr> kids;
      for (uint32_t k : e.args(i)) kids.push_back(h[k]);
      h.push_back(node(g, tokens(g, e.nodes[i].token), kids));
    }
    return h.back();
  }
};

// ---- attention: a memory of (key, value) pairs, queried by key
struct Pair {
  Expr key, value;
};
struct Memory {
  esp::nn::Embedding keys, values;
  esp::nn::Linear out;
  esp::Cell<Expr(Expr, esp::Many<Pair>)> attend;
  explicit Memory(esp::Scope p)
      : keys(p / "keys", 20, 16),
        values(p / "values", 20, 16),
        out(p / "out", 16, 20),
        attend(p.cell("attend", {{16}, {16}}, [&](Expr question, esp::Many<Pair> pairs) {
          const Expr weight = softmax_rows(dot(pairs[&Pair::key], question));  // one weight per pair; their sum is 1
          return sum_rows(weight * pairs[&Pair::value]);
        })) {}
  // Queries every key of the example. The group of pairs is recorded once and shared by all queries.
  Expr loss(esp::Graph& g, const std::vector<std::pair<int, int>>& example) const {
    std::vector<Pair> pairs;
    for (auto [key, value] : example) pairs.push_back({keys(g, key), values(g, value)});
    const esp::Many<Pair> memory = esp::group(g, pairs);
    std::vector<Expr> losses;
    for (size_t i = 0; i < pairs.size(); ++i)
      losses.push_back(cross_entropy(out(attend(pairs[i].key, memory)), example[i].second));
    return mean(losses);
  }
};

int main() {
  esp::Engine engine;
  esp::Parameters params(6);
  const ListNet net(params / "list");
  const auto expressions = esp::data::listops::generate(100, 6, {.max_depth = 5});
  auto trees = engine.record(expressions, [&](esp::Graph& g, const auto& e) { return net(g, e); });
  std::printf("%s\n", engine.explain(trees).c_str());

  const Memory memory(params / "memory");
  esp::optim::Adam adam(params, {.lr = 0.02f});
  std::mt19937 random(6);
  for (int step = 0; step <= 200; ++step) {
    std::vector<std::vector<std::pair<int, int>>> examples(32);
    for (auto& e : examples) {
      const int n = 1 + static_cast<int>(random() % 9), first = static_cast<int>(random() % 20);
      for (int i = 0; i < n; ++i) e.emplace_back((first + i) % 20, static_cast<int>(random() % 20));
    }
    auto batch = engine.record(examples, [&](esp::Graph& g, const auto& e) { return memory.loss(g, e); });
    auto gradients = engine.backward(batch.results, 1.f / 32);
    adam.step(gradients);
    if (step % 50 == 0) std::printf("step %3d: loss %.4f\n", step, gradients.loss().get());
  }
}
