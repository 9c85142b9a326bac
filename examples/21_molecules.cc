// Lesson 21: molecules as graphs, with Weave modules (Kearnes et al. 2016).
//
// Every atom and every bond has a row; a Weave module updates both kinds of rows from their neighbours. The molecules
// are random graphs of C, N and O. The network learns whether some N is bonded to some O.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr, esp::nn::Weave;

struct Bond {
  std::array<int, 2> ends;
  int order;  // 1 or 2
};
struct Molecule {
  std::vector<int> atoms;  // 0: C, 1: N, 2: O
  std::vector<Bond> bonds;
};

// --- model from here
Block<Molecule, Expr> has_bound_n_and_o(esp::Scope p, int h) {
  auto rows = all_of(field<&Molecule::atoms>() >> map(one_hot(3)),
                     field<&Molecule::bonds>() >> map(field<&Bond::order>() >> one_hot(3))) >>
              as<Weave::Molecule>();
  auto ends = field<&Molecule::bonds>() >> map(field<&Bond::ends>());
  auto woven = all_of(all_of(rows, ends) >> Weave(p / "1", 3, 3, h, h), ends) >> Weave(p / "2", h, h, h, h);
  return woven >> field<&Weave::Molecule::atoms>() >> sum() >> esp::nn::FC(p / "sum", h, h) >>
         esp::nn::Linear(p / "out", h, 2);
}
// --- to here

Molecule random_molecule(std::mt19937& random) {
  Molecule m;
  const size_t n = 3 + random() % 7;
  auto bind = [&](size_t a, size_t b) {
    m.bonds.push_back({{static_cast<int>(a), static_cast<int>(b)}, 1 + static_cast<int>(random() % 2)});
  };
  for (size_t i = 0; i < n; ++i) {
    m.atoms.push_back(static_cast<int>(random() % 5) % 3);
    if (i > 0) bind(i, random() % i);
  }
  if (n > 4) bind(0, n - 1);  // a ring
  return m;
}
int label(const Molecule& m) {
  return std::ranges::any_of(m.bonds, [&](const Bond& b) {
    return m.atoms[static_cast<size_t>(b.ends[0])] * m.atoms[static_cast<size_t>(b.ends[1])] == 2;
  });
}

int main() {
  std::mt19937 random(21);
  std::vector<Molecule> train(1500), test(300);
  for (Molecule& m : train) m = random_molecule(random);
  for (Molecule& m : test) m = random_molecule(random);

  esp::Engine engine;
  esp::Parameters params(21);
  const auto model = has_bound_n_and_o(params, 16);
  esp::optim::Adam adam(params, {.lr = 0.005f});
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 21, epoch)) {
      auto batch =
          engine.record(m, [&](esp::Graph& g, size_t i) { return cross_entropy(model(g, train[i]), label(train[i])); });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    if (epoch % 4 == 3) std::printf("epoch %2d: loss %.3f\n", static_cast<int>(epoch), loss.get());
  }

  auto batch = engine.record(test, model, {.mode = esp::Mode::infer});
  const std::string how = engine.explain(batch);
  std::printf("%s\n", how.substr(0, how.find('\n')).c_str());
  const std::vector<esp::Tensor> scores = engine.infer(batch);
  esp::train::Mean right, positive;
  for (size_t i = 0; i < test.size(); ++i) {
    right.add((scores[i][1] > scores[i][0]) == (label(test[i]) == 1));
    positive.add(label(test[i]));
  }
  std::printf("positive: %.3f; accuracy: %.3f\n", positive.get(), right.get());
}
