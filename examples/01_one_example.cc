// Lesson 1: the network of one example.
//
// A sentence is a tree, and the tree determines the structure of the network: a leaf looks up a word, an inner node
// joins its two children. You write this as plain recursion for one tree. There is no batch dimension, and nothing is
// computed until you read a value.
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Tree {
  std::string text;
  int word = 0;
  std::vector<Tree> kids{};  // zero or two
};

// A module is a struct of parameters and other modules. A Scope gives them names.
struct TreeNet {
  esp::nn::Embedding words;
  esp::nn::Linear join, score;

  explicit TreeNet(esp::Scope p) : words(p / "words", 5, 8), join(p / "join", 16, 8), score(p / "score", 8, 1) {}

  // An Expr is a handle to a tensor that is not computed yet. Only leaves need the graph; other calls are recorded in
  // the graph of their arguments.
  Expr encode(esp::Graph& g, const Tree& t) const {
    if (t.kids.empty()) return words(g, t.word);
    const Expr left = encode(g, t.kids[0]);
    const Expr right = encode(g, t.kids[1]);
    return tanh(join(concat(left, right)));
  }

  Expr rate(Expr sentence) const { return sum_elements(sigmoid(score(sentence))); }
};

int main() {
  esp::Parameters params(1);  // with a fixed seed, every run prints the same values
  const TreeNet net(params);
  for (const esp::Parameter& p : params.all()) std::printf("%-14s %s\n", p.name().c_str(), str(p.shape()).c_str());
  std::printf("%zu weights in total\n\n", params.count());

  const Tree the_film{"the film", 0, {{"the", 2}, {"film", 3}}};
  const Tree not_good{"not good", 0, {{"not", 0}, {"good", 1}}};
  const Tree review{"the film was not good", 0, {the_film, {"was not good", 0, {{"was", 4}, not_good}}}};

  esp::Engine engine;             // batches the recorded calls and runs them, by default on the CPU in one thread
  esp::Graph g = engine.graph();  // holds the recorded calls
  auto computed = [&] { return static_cast<int>(engine.counters().calls); };

  const Expr first = net.encode(g, not_good), second = net.encode(g, review);
  const Expr first_rate = net.rate(first), second_rate = net.rate(second);
  std::printf("recorded %zu calls, computed %d\n", g.calls(), computed());

  // Reading a value runs only the calls that it depends on. The others stay pending.
  const float x = engine.value(first_rate);
  std::printf("'%s' scores %.4f: %d calls computed\n", not_good.text.c_str(), x, computed());
  const float y = engine.value(second_rate);
  std::printf("'%s' scores %.4f: %d calls computed\n", review.text.c_str(), y, computed());

  // Computed values are kept: reading one again runs nothing.
  const esp::Tensor vector = engine.tensor(second);
  std::printf("as a vector %s:", str(vector.shape()).c_str());
  for (float element : vector) std::printf(" %.2f", element);
  std::printf(": %d calls computed\n", computed());
}
