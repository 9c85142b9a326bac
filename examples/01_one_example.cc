// Lesson 1: the network of one example.
//
// A sentence comes as a tree, and the tree decides the shape of the network: a leaf looks a word up, a node joins its
// two children. You write that as plain recursion, for one tree. There is no batch dimension, and nothing is computed
// until a number is asked for.
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Tree {
  std::string text;
  int word = 0;
  std::vector<Tree> kids{};  // none or two
};

// A module is a struct of parameters and other modules. A Scope gives them names.
struct TreeNet {
  esp::nn::Embedding words;
  esp::nn::Linear join, score;

  explicit TreeNet(esp::Scope p) : words(p / "words", 5, 8), join(p / "join", 16, 8), score(p / "score", 8, 1) {}

  // An Expr is a row of numbers that will exist. Only leaves need the graph: all else is recorded where its
  // arguments are.
  Expr encode(esp::Graph& g, const Tree& t) const {
    if (t.kids.empty()) return words(g, t.word);
    const Expr left = encode(g, t.kids[0]);
    const Expr right = encode(g, t.kids[1]);
    return tanh(join(concat(left, right)));
  }

  Expr rate(Expr sentence) const { return sum_elements(sigmoid(score(sentence))); }
};

int main() {
  esp::Parameters params(1);  // the seed: the numbers below are the same on every run
  const TreeNet net(params);
  for (const esp::Parameter& p : params.all()) std::printf("%-14s %s\n", p.name().c_str(), str(p.shape()).c_str());
  std::printf("%zu numbers in all\n\n", params.count());

  const Tree the_film{"the film", 0, {{"the", 2}, {"film", 3}}};
  const Tree not_good{"not good", 0, {{"not", 0}, {"good", 1}}};
  const Tree review{"the film was not good", 0, {the_film, {"was not good", 0, {{"was", 4}, not_good}}}};

  esp::Engine engine;             // decides what runs together, and runs it: here on the CPU, in one thread
  esp::Graph g = engine.graph();  // what is recorded goes here
  auto computed = [&] { return static_cast<int>(engine.counters().calls); };

  const Expr first = net.encode(g, not_good), second = net.encode(g, review);
  const Expr first_rate = net.rate(first), second_rate = net.rate(second);
  std::printf("recorded %zu calls, computed %d\n", g.calls(), computed());

  // Only what the number needs is run; the rest stays as it is, until somebody asks.
  const float x = engine.value(first_rate);
  std::printf("'%s' is rated %.4f: %d computed\n", not_good.text.c_str(), x, computed());
  const float y = engine.value(second_rate);
  std::printf("'%s' is rated %.4f: %d computed\n", review.text.c_str(), y, computed());

  // What has been computed is kept, and costs nothing to read.
  const esp::Tensor vector = engine.tensor(second);
  std::printf("as a vector %s:", str(vector.shape).c_str());
  for (float element : vector.data) std::printf(" %.2f", element);
  std::printf(": %d computed\n", computed());
}
