// Lesson 9: save, and resume bit for bit.
//
// A checkpoint is one safetensors file: parameters by name, the optimiser's moments, and your own metadata. Random
// numbers depend only on (seed, epoch, example), so there is no generator state to save: a run that is stopped and
// resumed ends with the same bits as an uninterrupted run.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>
#include <espalier/io/safetensors.h>

namespace esp = espalier;

struct Model {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : words(p / "words", 10, 8), lstm(p / "lstm", 8, 8), out(p / "out", 8, 2) {}

  // The label: is the first word even?
  esp::Expr loss(esp::Graph& g, const std::vector<int>& sentence) const {
    esp::nn::State s;
    for (int word : sentence) s = lstm(words(g, word), s);
    return cross_entropy(out(dropout(s.h, 0.2f)), sentence[0] % 2);
  }
};

struct Training {
  esp::Engine engine{{.seed = 9}};
  esp::Parameters params;
  Model model;
  esp::optim::Adam adam;
  explicit Training(uint64_t seed) : params(seed), model(params), adam(params, {.lr = 0.01f}) {}

  void run(const std::vector<std::vector<int>>& data, uint64_t first_epoch, uint64_t end) {
    for (uint64_t epoch = first_epoch; epoch < end; ++epoch) {
      esp::train::Mean loss;
      for (const auto& m : esp::train::minibatches(data.size(), 20, 9, epoch)) {
        auto batch = engine.record(m, [&](esp::Graph& g, size_t i) { return model.loss(g, data[i]); });
        auto gradients = engine.backward(batch.results, 1.f / 20);
        adam.step(gradients);
        loss.add(gradients.loss());
      }
      std::printf("  epoch %d: loss %.6f\n", static_cast<int>(epoch), loss.get());
    }
  }
};

int main() {
  std::vector<std::vector<int>> data;
  for (int i = 0; i < 200; ++i) data.push_back({i % 10, i / 10 % 10, i * 7 % 10});

  std::printf("uninterrupted:\n");
  Training through(9);
  through.run(data, 0, 6);

  std::printf("stopped after epoch 2 and saved:\n");
  Training before(9);
  before.run(data, 0, 3);
  esp::io::save("lesson9.safetensors", {&before.params, &before.adam, &before.engine, {{"epoch", "3"}}});

  std::printf("loaded into another model and resumed:\n");
  Training after(12345);  // the file replaces the initial values of this other seed
  esp::io::Meta meta = esp::io::load("lesson9.safetensors", {&after.params, &after.adam, &after.engine});
  after.run(data, std::stoull(meta["epoch"]), 6);

  size_t different = 0;
  for (const esp::Parameter& p : through.params.all())
    different += !std::ranges::equal(p.value(), after.params[p.name()].value());
  std::printf("parameters that differ: %zu of %zu\n\n", different, through.params.all().size());

  // Python's safetensors package can read the file too.
  for (const auto& [name, tensor] : esp::io::File::read("lesson9.safetensors").tensors)
    std::printf("%-24s %s\n", name.c_str(), str(tensor.shape()).c_str());
}
