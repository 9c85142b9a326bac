// Lesson 11: control flow that depends on values.
//
// A decoder must read its scores before it can choose the next letter. Reading a value runs the pending calls: one
// round. Read the values of all examples together, so that every round is a batch. For search, mark() remembers the
// current end of the graph and revert() drops the calls recorded since.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;
using esp::nn::State;

constexpr int end = 26;  // the letters are 0 … 25

struct Speller {
  esp::nn::Embedding letters;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Speller(esp::Scope p) : letters(p / "letters", 27, 12), lstm(p / "lstm", 12, 32), out(p / "out", 32, 27) {}

  State read(esp::Graph& g, int letter, const State& before) const { return lstm(letters(g, letter), before); }

  // The negative log-probability of the rest of the word, after its first letter.
  Expr loss(esp::Graph& g, const std::string& word) const {
    State s;
    std::vector<Expr> losses;
    for (size_t i = 0; i < word.size(); ++i) {
      s = read(g, word[i] - 'a', s);
      losses.push_back(cross_entropy(out(s.h), i + 1 < word.size() ? word[i + 1] - 'a' : end));
    }
    return sum(losses);
  }
};

int main() {
  const std::vector<std::string> words{"apple", "pear", "quince", "cherry", "medlar", "fig", "lime", "orange"};
  esp::Engine engine;
  esp::Parameters params(11);
  const Speller speller(params);
  esp::optim::Adam adam(params, {.lr = 0.02f});
  for (int step = 0; step < 120; ++step) {
    auto batch = engine.record(words, [&](esp::Graph& g, const std::string& w) { return speller.loss(g, w); });
    adam.step(engine.backward(batch.results));
  }

  // Greedy decoding of all words together: one round per letter, for any number of words.
  esp::Graph g = engine.graph(esp::Mode::infer);
  std::vector<std::string> written;
  std::vector<State> states(words.size());
  for (const std::string& w : words) written.push_back(w.substr(0, 1));
  engine.reset_counters();
  std::vector<size_t> open(words.size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = i;
  while (!open.empty()) {
    std::vector<Expr> scores;
    for (size_t i : open) {
      states[i] = speller.read(g, written[i].back() - 'a', states[i]);
      scores.push_back(speller.out(states[i].h));
    }
    const std::vector<esp::Tensor> values = engine.tensors(scores);
    std::vector<size_t> still;
    for (size_t k = 0; k < open.size(); ++k) {
      const auto best = std::ranges::max_element(values[k]) - values[k].begin();
      if (best == end || written[open[k]].size() == 12) continue;
      written[open[k]] += static_cast<char>('a' + best);
      still.push_back(open[k]);
    }
    open = still;
  }
  for (const std::string& w : written) std::printf("%s ", w.c_str());
  std::printf("\n%d calls in %d rounds\n\n", static_cast<int>(engine.counters().calls),
              static_cast<int>(engine.counters().rounds));

  // Compares spellings by their loss. Each is recorded and reverted, so the graph does not grow.
  const esp::Graph::Mark mark = g.mark();
  const size_t calls = g.calls();
  for (const char* guess : {"quince", "quinze", "kwince"}) {
    const float cost = engine.value(speller.loss(g, guess));
    std::printf("%s costs %.2f with %zu calls; ", guess, cost, g.calls() - calls);
    g.revert(mark);
    std::printf("%zu after the revert\n", g.calls() - calls);
  }
}
