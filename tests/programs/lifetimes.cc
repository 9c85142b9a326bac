// The code of docs/lifetimes.md: ownership, stale values, errors. Each section prints its result.
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr, esp::Graph;

namespace {

// Runs f and prints the error it throws.
template <class F>
void show(const char* what, F f) {
  try {
    f();
    std::printf("%s: nothing was thrown\n", what);
  } catch (const esp::Error& e) {
    std::printf("%s\n", e.what());
  }
}

void parameters() {
  std::optional<esp::Parameters> params(1);
  const esp::nn::Linear out(*params / "out", 2, 1);
  esp::optim::SGD sgd(*params, {.lr = 1});
  esp::Engine engine;
  // --- docs from here
  params.reset();                                              // destroys the names; `out` still holds the values
  Graph g = engine.graph();
  sgd.step(engine.backward(sum_elements(out(ones(g, {2})))));  // and they can be trained
  // --- to here
  std::printf("a bias that outlived its names: %.0f\n", out.bias.value()[0]);
}

void scopes() {
  std::optional<esp::Parameters> params(1);
  // --- docs from here
  const esp::Scope late = *params / "late";
  params.reset();
  // --- to here
  show("late", [&] { late.add("w", {2}); });
  esp::Parameters from;
  const esp::Parameters to = std::move(from);
  show("moved", [&] { from.count(); });
}

void cells() {
  esp::Parameters params;
  const esp::Scope p = params;
  esp::Engine engine;
  // --- docs from here
  esp::Cell<Expr(Expr)> twice;
  {
    float factor = 2;
    twice = p.cell("twice", {{3}}, [&](Expr x) { return x * factor; });
  }                                                 // `factor` is destroyed; the cell holds the program, not the lambda
  // --- to here
  Graph g = engine.graph();
  std::printf("a cell after its lambda: %.0f\n", engine.tensor(twice(ones(g, {3})))[0]);

  Expr escaped;
  (void)p.cell("leak", {{3}}, [&](Expr x) { return escaped = x; });
  show("escaped", [&] { tanh(escaped); });
  const Expr outside = ones(g, {3});
  show("outside", [&] { (void)p.cell("capture", {{3}}, [&](Expr x) { return x + outside; }); });
}

void batches() {
  esp::Parameters params(1);
  const esp::nn::Linear out(params / "out", 1, 2);
  esp::Engine engine;
  const std::vector<float> examples{1, 2, 3};
  const auto loss = [&](Graph& g, float x) { return cross_entropy(out(reshape(input(g, x), {1})), 1); };
  // --- docs from here
  std::vector<Expr> losses = engine.record(examples, loss).results;  // destroys the Batch, and the graph with it
  // --- to here
  show("losses", [&] { engine.backward(losses); });
  // --- docs from here
  auto batch = engine.record(examples, loss);                        // keep the Batch as long as its results
  esp::Gradients gradients = engine.backward(batch.results);
  batch = {};                                                        // gradients own their values
  // --- to here
  std::printf("gradients outlive the graph: %zu numbers\n", gradients.of(out.weight).size());
}

void updating() {
  esp::Parameters params(1);
  const esp::nn::Linear out(params / "out", 1, 2);
  esp::optim::SGD sgd(params, {.lr = 0.01f});
  esp::Engine engine;
  const std::vector<float> examples{1, 2, 3};
  const auto loss = [&](Graph& g, float x) { return cross_entropy(out(reshape(input(g, x), {1})), 1); };
  // --- docs from here
  auto kept = engine.record(examples, loss);
  for (int i = 0; i < 100; ++i) sgd.step(engine.backward(kept));     // runs again: the parameters have changed
  // --- to here
  // --- docs from here
  float old = engine.value(kept.results[0]);                         // computed by the last backward, before its step
  engine.rerun(kept);
  float now = engine.value(kept.results[0]);
  // --- to here
  auto fresh = engine.record(examples, loss);
  std::printf("a kept graph learns: %s\n", now < old && now == engine.tensors(fresh.results)[0][0] ? "yes" : "no");
  auto tasks = engine.record(examples, [&](Graph& g, float x) -> esp::Task<Expr> {
    const Expr y = loss(g, x);
    const float v = co_await esp::value(y);
    co_return y * v;
  });
  show("branched", [&] { engine.rerun(tasks); });
  (void)engine.infer(fresh);
  show("closed", [&] { engine.rerun(fresh); });
}

void clearing() {
  esp::Engine engine;
  // --- docs from here
  Graph g = engine.graph();
  Expr a = ones(g, {2});
  esp::Tensor numbers = engine.tensor(a);           // keeps its values
  g.clear();                                        // removes everything recorded; keeps the memory
  // --- to here
  std::printf("a tensor outlives what it was read from: %.0f\n", numbers[0]);
  show("cleared", [&] { a + 1; });

  // --- docs from here
  Expr root = ones(g, {2});
  Graph::Mark mark = g.mark();
  Expr tried = tanh(root);
  g.revert(mark);                                   // removes everything recorded after the mark
  Expr other = exp(root);
  // --- to here
  std::printf("what came before the mark is good: %.3f\n", engine.tensor(other)[0]);
  show("reverted", [&] { engine.tensor(tried); });
  g.clear();
  ones(g, {2});
  show("mark", [&] { g.revert(mark); });
}

void inference() {
  esp::Engine engine;
  const std::vector<float> examples{1, 2, 3};
  // --- docs from here
  auto batch = engine.record(examples, [](Graph& g, float x) { return tanh(input(g, x)); }, {.mode = esp::Mode::infer});
  std::vector<esp::Tensor> values = engine.infer(batch);             // rows are reused after their last reader
  // --- to here
  // --- docs from here
  esp::Tensor best = values[1].clone();                              // has its own memory
  values.clear();                                                    // frees the block of all results
  // --- to here
  std::printf("a clone outlives the block: %.3f\n", best.item());
  show("closed", [&] { engine.value(batch.results[0]); });
  batch.shards[0].clear();
  std::printf("a cleared graph is open again: %.0f\n", engine.value(input(batch.shards[0], 1.f)));
}

void changing() {
  esp::Parameters params(1);
  esp::nn::Linear out(params / "out", 2, 1);
  const float before = out.weight.value()[1];
  // --- docs from here
  std::vector<float> weights = out.weight.value().to_vector();
  for (float& w : weights) w *= 0.5f;
  out.weight.assign({out.weight.shape(), weights});
  // --- to here
  std::printf("half of the weight is assigned: %s\n", out.weight.value()[1] == before / 2 ? "yes" : "no");
}

void several() {
  esp::Engine engine, another;
  Graph g = engine.graph(), h = engine.graph(), foreign = another.graph();
  // --- docs from here
  Expr a = ones(g, {2}), b = ones(h, {2}), c = ones(foreign, {2});
  // --- to here
  show("mixed", [&] { a + b; });
  show("foreign", [&] { engine.tensor(c); });
  show("empty", [&] { tanh(Expr()); });

  esp::Engine two({.threads = 2});
  const std::vector<float> examples{1, 2, 3, 4};
  // --- docs from here
  auto batch = two.record(examples, [](Graph& graph, float x) { return tanh(input(graph, x)); });
  Expr kept = batch.results[3];
  auto one = two.merge(std::move(batch));           // updates the results; copies of them become stale
  // --- to here
  show("merged", [&] { two.value(kept); });
  std::printf("of the merged: %.3f\n", two.value(one.results[3]));
}

void engines() {
  // --- docs from here
  std::optional<esp::Engine> engine(std::in_place);
  Graph g = engine->graph();
  Expr x = ones(g, {2});
  engine.reset();                                   // the graph stays valid, but can no longer run
  Expr y = x + 1;
  // --- to here
  esp::Engine next;
  show("orphan", [&] { next.tensor(y); });
  // --- docs from here
  g = next.graph();                                 // destroys the old graph
  Expr z = ones(g, {2});
  // --- to here
  show("ended", [&] { z + y; });
  const esp::Engine last = std::move(next);
  show("moved", [&] { next.tensor(z); });
}

void recording() {
  esp::Engine engine;
  const std::vector<float> examples{1, 2, 3};
  show("value inside", [&] {
    engine.record(examples, [&](Graph& g, float x) {
      // --- docs from here
      g.clear();                                    // inside record
      // --- to here
      return input(g, x);
    });
  });
  esp::Engine two({.threads = 2});
  show("nested", [&] {
    two.record(examples, [&](Graph& g, float x) {
      const Expr y = input(g, x);
      return y * two.value(y);
    });
  });
  show("watch", [&] {
    Graph g = engine.graph();
    const Expr x = input(g, 2.f);
    (void)engine.backward(x * x).of(x);
  });
}

void late() {
  esp::Engine engine;
  // --- docs from here
  esp::Parameter U = esp::Parameter::make({1, 2});                   // no name, no values
  esp::Parameters params(1, esp::Drawn::late);
  const esp::nn::TreeLSTM lstm(params / "lstm", 2, 3);               // creates lstm.W, lstm.U, …; draws nothing
  const auto node = (params / "lstm").cell("node", {{2}}, [&](Expr x) { return tanh(linear(x, U)); });
  Graph g = engine.graph();
  Expr y = node(ones(g, {2}));
  // --- to here
  show("unnamed", [&] { engine.value(y); });
  // --- docs from here
  U.rename("encoder.U");
  params.set_prefix("encoder");                                      // encoder.lstm.W, encoder.lstm.node, …
  params.initialize(1);                                              // or the first run draws, with the seed above
  U.initialize(1);
  // --- to here
  std::printf("%s, %s: %s\n", params.all()[0].name().c_str(), node.name().c_str(),
              engine.value(y) != 0 ? "drawn" : "not drawn");
}

}  // namespace

int main() {
  parameters();
  scopes();
  cells();
  batches();
  updating();
  clearing();
  inference();
  changing();
  several();
  engines();
  recording();
  late();
}
