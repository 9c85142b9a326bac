// The code of docs/coming_from_dynet.md.
#include <cstdio>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr, esp::Graph;

namespace {

struct Example {
  std::vector<int> words, tags;
};

// --- docs from here
struct Tagger {
  esp::Lookup words;
  esp::nn::LSTM forward, backward;
  esp::Parameter W, b;
  explicit Tagger(esp::Scope p)
      : words(p.add_lookup("words", 1000, {16})),
        forward(p / "forward", 16, 32),
        backward(p / "backward", 16, 32),
        W(p.add("W", {5, 64})),
        b(p.add("b", {5}, esp::init::constant(0))) {}

  Expr loss(Graph& g, const Example& e) const {
    const size_t n = e.words.size();
    std::vector<Expr> xs, losses;
    for (int word : e.words) xs.push_back(lookup(g, words, word));
    std::vector<esp::nn::State> left(n), right(n);
    for (size_t i = 0; i < n; ++i) left[i] = forward(xs[i], i > 0 ? left[i - 1] : esp::nn::State{});
    for (size_t i = n; i-- > 0;) right[i] = backward(xs[i], i + 1 < n ? right[i + 1] : esp::nn::State{});
    for (size_t i = 0; i < n; ++i)
      losses.push_back(cross_entropy(affine(b, {{W, concat(left[i].h, right[i].h)}}), e.tags[i]));
    return sum(losses);
  }
};
// --- to here

void train(const std::vector<Example>& data) {
  // --- docs from here
  esp::Engine engine;                                       // no dynet::initialize: engines are objects
  esp::Parameters params(1);
  const Tagger tagger(params);
  esp::optim::Adam adam(params);
  for (const auto& m : esp::train::minibatches(data.size(), 16, /*seed*/ 1, /*epoch*/ 0)) {
    auto batch = engine.record(m, [&](Graph& g, size_t i) { return tagger.loss(g, data[i]); });
    adam.step(engine.backward(batch.results));              // the losses as a list: no esum over examples
  }
  // --- to here
  std::printf("%zu parameters, %d steps\n", params.all().size(), static_cast<int>(adam.steps()));

  // --- docs from here
  Graph g = engine.graph();                                 // any number of graphs; DyNet has one
  Expr start = tagger.loss(g, data[0]);
  float now = engine.value(start);                          // as_scalar(cg.forward(start))
  auto mark = g.mark();                                     // cg.checkpoint()
  tagger.loss(g, data[1]);
  g.revert(mark);                                           // cg.revert()
  // --- to here
  const size_t calls = g.calls();
  tagger.loss(g, data[1]);
  const bool grew = g.calls() > calls;
  g.revert(mark);
  std::printf("the same: %d, %d\n", now == engine.value(start), grew && g.calls() == calls);
}

void cells() {
  esp::Parameters params(1);
  const esp::Scope p = params;
  // --- docs from here
  esp::Parameter W = p.add("W", {8, 16});
  auto compose = p.cell("compose", {{8}, {8}}, [&](Expr l, Expr r) { return tanh(linear(concat(l, r), W)); });
  // --- to here
  esp::Engine engine;
  Graph g = engine.graph();
  std::printf("one call: %s\n", str(compose(ones(g, {8}), ones(g, {8})).shape()).c_str());
}

}  // namespace

int main() {
  std::vector<Example> data;
  for (size_t i = 0; i < 40; ++i) {
    Example e;
    for (size_t k = 0; k <= i % 6; ++k) {
      e.words.push_back(static_cast<int>(i * 7 + k));
      e.tags.push_back(static_cast<int>(k % 5));
    }
    data.push_back(e);
  }
  train(data);
  cells();
}
