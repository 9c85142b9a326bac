// Lesson 14: beam search as a task.
//
// A beam keeps the few best prefixes. `co_await all(…)` computes the scores of all prefixes in one round; awaiting a
// computed value afterwards does not suspend. A wide beam therefore takes as many rounds as a narrow one.
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

  Expr loss(esp::Graph& g, const std::string& word) const {
    State s;
    std::vector<Expr> losses;
    for (size_t i = 0; i < word.size(); ++i) {
      s = lstm(letters(g, word[i] - 'a'), s);
      losses.push_back(cross_entropy(out(s.h), i + 1 < word.size() ? word[i + 1] - 'a' : end));
    }
    return sum(losses);
  }

  struct Hypothesis {
    std::string word;
    float score = 0;  // log probability
    State state{};
  };
  static void keep_best(std::vector<Hypothesis>& of, int n) {
    std::ranges::sort(of, std::greater(), &Hypothesis::score);
    if (of.size() > static_cast<size_t>(n)) of.resize(static_cast<size_t>(n));
  }
  // The most likely words that begin with the first letter of `start`, best first.
  esp::Task<std::vector<Hypothesis>> complete(esp::Graph& g, const std::string& start, int beam) const {
    std::vector<Hypothesis> open(1), done;
    open[0].word = start.substr(0, 1);
    while (!open.empty()) {
      std::vector<Expr> scores;
      for (Hypothesis& h : open) {
        h.state = lstm(letters(g, h.word.back() - 'a'), h.state);
        scores.push_back(log_softmax(out(h.state.h)));
      }
      co_await all(scores);  // one round for the whole beam, and for the beams of all other words
      std::vector<Hypothesis> next;
      for (size_t i = 0; i < open.size(); ++i) {
        const std::vector<esp::Scored> best = co_await topk(scores[i], beam);  // already computed: does not suspend
        for (const esp::Scored& b : best) {
          next.push_back(open[i]);
          next.back().score += b.score;
          next.back().word += b.index == end ? '.' : static_cast<char>('a' + b.index);
        }
      }
      keep_best(next, beam);
      open.clear();
      for (const Hypothesis& h : next) (h.word.back() == '.' ? done : open).push_back(h);
      keep_best(done, beam);
      // Scores only decrease: a prefix below the worst of `beam` finished words cannot improve on them.
      if (done.size() == static_cast<size_t>(beam))
        std::erase_if(open, [&](const Hypothesis& h) { return h.score <= done.back().score; });
    }
    co_return done;
  }
};

int main() {
  const std::vector<std::string> words{"apple", "apricot", "pear", "peach", "plum", "cherry", "medlar", "melon"};
  esp::Engine engine;
  esp::Parameters params(11);
  const Speller speller(params);
  esp::optim::Adam adam(params, {.lr = 0.02f});
  for (int step = 0; step < 150; ++step) {
    auto batch = engine.record(words, [&](esp::Graph& g, const std::string& w) { return speller.loss(g, w); });
    adam.step(engine.backward(batch.results));
  }

  const std::vector<std::string> starts{"a", "p", "c", "m"};
  for (const int beam : {1, 2, 3}) {
    const auto found =
        engine.record(starts, [&](esp::Graph& g, const std::string& s) { return speller.complete(g, s, beam); },
                      {.mode = esp::Mode::infer});
    std::printf("beam %d, %d rounds:", beam, found.rounds);
    for (const auto& best : found.results) {
      std::printf(" ");
      for (const auto& h : best) std::printf("%s%s", &h == &best[0] ? "" : "/", h.word.c_str());
    }
    std::printf("\n");
  }
}
