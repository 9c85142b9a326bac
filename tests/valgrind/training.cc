// A small training run for valgrind: trees, lookups, rounds, a growing arena, several engines.
#include <cstdio>

#include <espalier/espalier.h>

using namespace espalier;

int main() {
  Parameters params(1);
  const Lookup words = Scope(params).add_lookup("words", 10, {8});
  const nn::TreeLSTM lstm(params / "lstm", 8, 8);
  const nn::Linear top(params / "top", 8, 5);
  optim::Adam adam(params, {.lr = 0.05f});
  float first = 0, last = 0;
  Engine engine, other;
  for (int step = 0; step < 6; ++step) {
    Graph g = engine.graph();
    std::vector<Expr> losses;
    for (int example = 0; example < 2 + 3 * step; ++example) {
      auto state = lstm.leaf(lookup(g, words, example % 10));
      for (int i = 0; i < 1 + example % 4; ++i)
        state = lstm.node(state, lstm.leaf(lookup(g, words, (example + i) % 10)));
      losses.push_back(cross_entropy(top(dropout(state.h, 0.1f)), example % 5));
    }
    last = engine.tensor(losses[0]).item();
    if (step == 0) first = last;
    adam.step(engine.backward(losses, 1.f / static_cast<float>(losses.size())));
    Graph h = other.graph(Mode::infer);
    (void)other.value(sum_elements(clamp(full(h, {100 << step}, 2), 0, 1)));
  }
  std::printf("loss %s\n", last < first ? "falls" : "does not fall");
  return last < first ? 0 : 1;
}
