// The code of docs/tasks.md: a reader that stops when it is confident: alone, in batches, forked, and in training.
#include <algorithm>
#include <cstdio>

// --- docs from here
#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr, esp::Graph, esp::Task;
using Text = std::vector<int>;

struct Reader {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Reader(esp::Scope p) : words(p / "words", 100, 8), lstm(p / "lstm", 8, 16), out(p / "out", 16, 3) {}

  Task<int> classify(Graph& g, const Text& text) const {
    esp::nn::State s;
    Expr scores;
    for (int word : text) {
      s = lstm(words(g, word), s);
      scores = log_softmax(out(s.h));
      const auto now = co_await values(scores);          // this text waits here
      if (std::ranges::max(now) > -0.1f) break;          // confident: skip the rest
    }
    co_return co_await argmax(scores);                   // already computed: does not wait
  }
// --- to here

// --- docs from here
Task<int> vote(Graph& g, const std::vector<Text>& parts) const {
  std::vector<Task<int>> readers;
  for (const Text& part : parts) readers.push_back(classify(g, part));
  const std::vector<int> votes = co_await all(std::move(readers));
  int most = 0;
  for (int v : votes) if (std::ranges::count(votes, v) > std::ranges::count(votes, most)) most = v;
  co_return most;
}
// --- to here

// --- docs from here
Task<Expr> write(Graph& g, const Text& text) const {     // a loss; half of the words it reads are its own guesses
  esp::nn::State s;
  std::vector<Expr> losses;
  int word = text[0];
  for (size_t i = 1; i < text.size(); ++i) {
    s = lstm(words(g, word), s);
    const Expr scores = out(s.h);
    losses.push_back(cross_entropy(scores, text[i] % 3));
    word = text[i];
    if (g.random() % 2 == 0) word = co_await sample(scores);
  }
  co_return sum(losses);
}
// --- to here
};

int main() {
  esp::Parameters params(2);
  const Reader reader(params);
  std::vector<Text> texts;
  for (size_t i = 0; i < 20; ++i) texts.emplace_back(1 + i % 7, int(i));

// --- docs from here
esp::Engine engine;
auto batch = engine.record(texts, [&](Graph& g, const Text& t) { return reader.classify(g, t); },
                           {.mode = esp::Mode::infer});
std::printf("%zu classes in %d rounds\n", batch.results.size(), batch.rounds);   // 20 classes in 7 rounds
// --- to here

// --- docs from here
Graph g = engine.graph(esp::Mode::infer);
const int chosen = run(engine, g, reader.vote(g, texts));
// --- to here
  std::printf("%d by vote\n", chosen);

  try {
    (void)engine.record(texts, [&](Graph& h, const Text& t) { return reader.classify(h, t); }, {.max_rounds = 3});
  } catch (const esp::GraphError& e) {
    std::printf("%s\n", e.what());
  }

  esp::optim::Adam adam(params, {.lr = 0.02f});
  float first = 0, last = 0;
  for (int epoch = 0; epoch < 30; ++epoch) {
// --- docs from here
auto losses = engine.record(std::span(texts).subspan(1), [&](Graph& h, const Text& t) { return reader.write(h, t); },
                            {.epoch = uint64_t(epoch), .skip_bad = true});
auto gradients = engine.backward(losses.results);         // through all rounds
adam.step(gradients);
// --- to here
    last = gradients.loss().get();
    if (epoch == 0) first = last;
    if (epoch == 0) std::printf("%zu failed\n", losses.failed.size());
  }
  std::printf("loss fell by more than half: %s\n", last < first / 2 ? "yes" : "no");
}
