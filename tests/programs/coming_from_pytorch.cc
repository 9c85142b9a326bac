// The code of docs/coming_from_pytorch.md.
#include <cstdio>
#include <span>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr, esp::Graph;

namespace {

struct Example {
  std::vector<int> words;
  int label = 0;
};

// --- docs from here
struct Classifier {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Classifier(esp::Scope p) : words(p / "words", 1000, 16), lstm(p / "lstm", 16, 32), out(p / "out", 32, 2) {}

  Expr operator()(Graph& g, const Example& e) const {  // forward for one example
    esp::nn::State s;
    for (int word : e.words) s = lstm(words(g, word), s);  // as long as this sentence: no padding, no packing
    return out(dropout(s.h, 0.2f));
  }
};
// --- to here

void train(const std::vector<Example>& data) {
  // --- docs from here
  esp::Engine engine({.threads = 2, .seed = 1});
  esp::Parameters params(1);
  const Classifier model(params);
  esp::optim::AdamW adam(params, {.lr = 1e-3f, .weight_decay = 0.01f, .clip_norm = 1});
  adam.set_schedule(esp::optim::CosineAnnealingLR(1e-3f, 100));
  for (uint64_t epoch = 0; epoch < 5; ++epoch)
    for (const auto& m : esp::train::minibatches(data.size(), 32, /*seed*/ 1, epoch)) {
      auto batch = engine.record(m, [&](Graph& g, size_t i) { return cross_entropy(model(g, data[i]), data[i].label); });
      auto gradients = engine.backward(batch.results, 1.f / static_cast<float>(m.ids.size()));  // gradients of the mean
      adam.step(gradients);                                 // nothing to zero
    }
  // --- to here
  // --- docs from here
  auto batch = engine.record(data, model, {.mode = esp::Mode::infer});  // model.eval(), torch.no_grad()
  std::vector<esp::Tensor> scores = engine.infer(batch);                // one [2] per example
  // --- to here
  std::printf("%zu rows of %s\n", scores.size(), str(scores[0].shape()).c_str());
  // --- docs from here
  esp::io::save("model.safetensors", {&params, &adam});     // state_dict() of both
  esp::io::load("model.safetensors", {&params, &adam});     // load_state_dict(), strict
  // --- to here
  std::printf("saved and loaded %zu parameters\n", params.all().size());
}

void accumulate(const std::vector<Example>& data) {
  esp::Engine engine;
  esp::Parameters params(1);
  const Classifier model(params);
  esp::optim::SGD sgd(params);
  const auto loss = [&](Graph& g, const Example& e) { return cross_entropy(model(g, e), e.label); };
  const std::span first(data.data(), 4), second(data.data() + 4, 4);
  // --- docs from here
  auto gradients = engine.backward(engine.record(first, loss).results);
  gradients += engine.backward(engine.record(second, loss).results);   // two backward passes before one step
  gradients *= 1.f / 8;
  sgd.step(gradients);
  // --- to here
  std::printf("norm %d\n", gradients.norm() > 0);
  // --- docs from here
  for (esp::Parameter p : params.all("words.*")) p.freeze();           // requires_grad_(False)
  Graph g = engine.graph();
  Expr x = model(g, data[0]);
  engine.watch(x);                                                     // x.retain_grad()
  auto of_x = engine.backward(cross_entropy(x, 1)).of(x);              // x.grad
  // --- to here
  std::printf("watched %zu, frozen %d\n", of_x.size(), params["words.weight"].frozen());
}

}  // namespace

int main() {
  std::vector<Example> data;
  for (int i = 0; i < 100; ++i) data.push_back({std::vector<int>(static_cast<size_t>(1 + i % 7), i), i % 2});
  train(data);
  accumulate(data);
}
