// Lesson 5: sequences of any length.
//
// A bidirectional LSTM tags each symbol of a sequence. A symbol is tagged x if a ( precedes it and a ) follows it
// anywhere, so the tagger needs both directions. Lengths range from 1 to 20. Each sequence is recorded at its own
// length, without padding.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Sequence {
  std::string symbols;    // any of . ( )
  std::vector<int> tags;  // 0 or 1
};

std::vector<Sequence> random_sequences(size_t n, std::mt19937& random) {
  std::vector<Sequence> all(n);
  for (Sequence& s : all) {
    const size_t length = 1 + random() % 20;
    for (size_t i = 0; i < length; ++i) s.symbols += "......()"[random() % 8];
    const size_t open = s.symbols.find('('), close = s.symbols.rfind(')');
    for (size_t i = 0; i < length; ++i) s.tags.push_back(open < i && close != std::string::npos && i < close);
  }
  return all;
}

struct Tagger {
  esp::nn::Embedding symbols;
  esp::nn::BiLSTM context;
  esp::nn::Linear out;
  explicit Tagger(esp::Scope p) : symbols(p / "symbols", 3, 8), context(p / "context", 8, 16), out(p / "out", 32, 2) {}

  std::vector<Expr> scores(esp::Graph& g, const Sequence& s) const {
    std::vector<Expr> xs;
    for (char c : s.symbols) xs.push_back(symbols(g, c == '.' ? 0 : c == '(' ? 1 : 2));
    xs = context(xs);  // [forward; backward] at every position
    for (Expr& x : xs) x = out(x);
    return xs;
  }
  Expr loss(esp::Graph& g, const Sequence& s) const {
    std::vector<Expr> losses = scores(g, s);
    for (size_t i = 0; i < losses.size(); ++i) losses[i] = cross_entropy(losses[i], s.tags[i]);
    return sum(losses);  // sums of different lengths still share a step
  }
};

int main() {
  std::mt19937 random(5);
  const std::vector<Sequence> train = random_sequences(1000, random), test = random_sequences(200, random);

  esp::Engine engine;
  esp::Parameters params(5);
  const Tagger tagger(params);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 5, epoch)) {
      auto batch = engine.record(m, [&](esp::Graph& g, size_t i) { return tagger.loss(g, train[i]); });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    std::printf("epoch %d: loss %.3f per sequence\n", static_cast<int>(epoch), loss.get());
  }

  // infer returns tensors in the structure of the recorded results: here a list per sequence.
  auto batch = engine.record(test, [&](esp::Graph& g, const Sequence& s) { return tagger.scores(g, s); },
                             {.mode = esp::Mode::infer});
  const std::string how = engine.explain(batch);
  std::printf("\n%s\n", how.substr(0, how.find('\n')).c_str());
  const std::vector<std::vector<esp::Tensor>> scores = engine.infer(batch);
  esp::train::Mean right;
  auto tag = [](const esp::Tensor& t) { return static_cast<int>(t[1] > t[0]); };
  for (size_t i = 0; i < test.size(); ++i)
    for (size_t k = 0; k < test[i].tags.size(); ++k) right.add(tag(scores[i][k]) == test[i].tags[k]);
  std::printf("accuracy: %.3f\n\n", right.get());
  for (size_t i = 0, shown = 0; shown < 3; ++i) {
    if (test[i].symbols.size() < 14) continue;
    ++shown;
    std::string tags;
    for (const esp::Tensor& t : scores[i]) tags += tag(t) ? 'x' : '-';
    std::printf("%s\n%s\n\n", test[i].symbols.c_str(), tags.c_str());
  }
}
