// Lesson 7: a tree 100,000 levels deep.
//
// Recursion over a tree uses the call stack, typically 8 MB: enough for sentences, not for this tree. The library
// itself never recurses over a graph, so it suffices to traverse the tree with an explicit stack. The tree is stored in
// a flat vector for the same reason: the destructor of nested unique_ptrs is recursive.
#include <cstdio>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::nn::State;

struct Tree {
  struct Node {
    int word = -1, left = -1, right = -1;  // a leaf has a word, any other node two children
    bool is_leaf() const { return word >= 0; }
  };
  std::vector<Node> nodes;  // node 0 is the root
};

// (((… w) w) w): the left child of every node is the next level.
Tree comb(int levels) {
  Tree t;
  for (int i = 0; i < levels; ++i) {
    const int here = 2 * i;
    t.nodes.push_back({-1, here + 2, here + 1});
    t.nodes.push_back({i % 50});
  }
  t.nodes.push_back({0});
  return t;
}

struct Model {
  esp::nn::Embedding words;
  esp::nn::TreeLSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : words(p / "words", 50, 4), lstm(p / "lstm", 4, 4), out(p / "out", 4, 2) {}

  State encode(esp::Graph& g, const Tree& t) const {
    std::vector<State> state(t.nodes.size());
    std::vector<int> stack{0};
    while (!stack.empty()) {
      const int i = stack.back();
      const Tree::Node& n = t.nodes[static_cast<size_t>(i)];
      State& s = state[static_cast<size_t>(i)];
      if (n.is_leaf()) {
        s = lstm.leaf(words(g, n.word));
        stack.pop_back();
        continue;
      }
      const State& left = state[static_cast<size_t>(n.left)];
      const State& right = state[static_cast<size_t>(n.right)];
      if (left.h && right.h) {  // an Expr that was never recorded is false
        s = lstm.node(left, right);
        stack.pop_back();
      } else {  // visits the children first, then this node again
        if (!right.h) stack.push_back(n.right);
        if (!left.h) stack.push_back(n.left);
      }
    }
    return state[0];
  }
};

int main() {
  constexpr int levels = 100'000;
  const std::vector<Tree> trees{comb(levels), comb(levels - 7), comb(12)};  // they still batch with each other

  esp::Engine engine;
  esp::Parameters params(7);
  const Model model(params);
  auto batch = engine.record(
      trees, [&](esp::Graph& g, const Tree& t) { return cross_entropy(model.out(model.encode(g, t).h), 1); });
  std::printf("recorded %zu calls\n", batch.calls());

  auto gradients = engine.backward(batch.results, 1.f / 3);
  std::printf("%d steps forward, the same number backward\n", static_cast<int>(engine.counters().steps));
  std::printf("loss %.4f, gradient norm %.4f\n", gradients.loss().get(), gradients.norm());
}
