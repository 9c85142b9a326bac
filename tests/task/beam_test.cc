// Beam search: as many rounds as the longest example needs, whatever the beam and the batch; each example finds the
// same result as alone.
#include <gtest/gtest.h>

#include <algorithm>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

struct Decoder {
  nn::Embedding words;
  nn::LSTM lstm;
  nn::Linear out;
  explicit Decoder(Scope p) : words(p / "words", 12, 5), lstm(p / "lstm", 5, 7), out(p / "out", 7, 12) {}

  struct Hypothesis {
    std::vector<int> words;
    float score = 0;
    nn::State state{};
  };
  // Extends prefixes word by word up to `length` words.
  Task<std::vector<int>> search(Graph& g, int first, int length, int beam) const {
    std::vector<Hypothesis> open(1);
    open[0].words.push_back(first);
    while (static_cast<int>(open[0].words.size()) < length) {
      std::vector<Expr> scores;
      for (Hypothesis& h : open) {
        h.state = lstm(words(g, h.words.back()), h.state);
        scores.push_back(log_softmax(out(h.state.h)));
      }
      co_await all(scores);
      std::vector<Hypothesis> next;
      for (size_t i = 0; i < open.size(); ++i) {
        const std::vector<Scored> best = co_await topk(scores[i], beam);
        for (const Scored& b : best) {
          next.push_back(open[i]);
          next.back().words.push_back(b.index);
          next.back().score += b.score;
        }
      }
      std::ranges::sort(next, std::greater(), &Hypothesis::score);
      next.resize(std::min(next.size(), static_cast<size_t>(beam)));
      open = std::move(next);
    }
    co_return open[0].words;
  }
  // The same with one concurrent task per prefix.
  Task<float> extend(Graph& g, Hypothesis& h, int word) const {
    h.state = lstm(words(g, word), h.state);
    co_return co_await value(sum_elements(tanh(h.state.h)));
  }
};

class Beam : public testing::Test {
 protected:
  Parameters params{4};
  Decoder decoder{params};
  Engine engine;
};

TEST_F(Beam, rounds_are_those_of_the_longest_example) {
  const std::vector<int> lengths{4, 9, 2, 6, 9, 1};
  for (const int beam : {1, 2, 8})
    for (const size_t examples : {2u, 6u}) {
      engine.reset_counters();
      const auto batch = engine.record(
          std::span(lengths).first(examples),
          [&](Graph& g, const int& n) { return decoder.search(g, static_cast<int>(&n - lengths.data()), n, beam); },
          {.mode = Mode::infer});
      EXPECT_EQ(batch.rounds, 8) << beam << " " << examples;
      EXPECT_EQ(engine.counters().rounds, 8u);
      // One step of each cell per round: it holds all hypotheses of all examples.
      EXPECT_LE(engine.counters().steps, 8u * 5);
      for (size_t i = 0; i < examples; ++i) {
        Engine other;
        Graph g = other.graph(Mode::infer);
        EXPECT_EQ(run(other, g, decoder.search(g, static_cast<int>(i), lengths[i], beam)), batch.results[i]);
      }
    }
}

TEST_F(Beam, tasks_side_by_side_take_one_round) {
  auto f = [&](Graph& g, int n) -> Task<int> {
    std::vector<Decoder::Hypothesis> open(static_cast<size_t>(n));
    for (int step = 0; step < 5; ++step) {
      std::vector<Task<float>> tasks;
      for (Decoder::Hypothesis& h : open) tasks.push_back(decoder.extend(g, h, step));
      const std::vector<float> scores = co_await all(std::move(tasks));
      for (size_t i = 0; i < open.size(); ++i) open[i].score += scores[i];
    }
    co_return std::ranges::all_of(open, [&](const auto& h) { return h.score == open[0].score; });
  };
  const auto batch = engine.record(std::vector<int>{1, 7, 3}, f);
  EXPECT_EQ(batch.rounds, 5);
  EXPECT_EQ(batch.results, (std::vector<int>{1, 1, 1}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
