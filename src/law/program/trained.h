// One training step on the batch of a random program: its values, loss and gradients, for laws that compare bits.
#pragma once
#include <vector>

#include <espalier/engine/engine.h>
#include "law/program/random_model.h"

namespace espalier::law {

struct Trained {
  std::vector<Tensor> outputs;    // outputs of all examples, in order
  std::vector<Tensor> gradients;  // per parameter, then the watched values of each example
  float loss = 0;
};

inline std::vector<Expr> outputs_of(const Batch<Recorded>& batch) {
  std::vector<Expr> all;
  for (const Recorded& r : batch.results) all.insert(all.end(), r.outputs.begin(), r.outputs.end());
  return all;
}

inline Trained train(Engine& engine, const RandomModel& model, const Batch<Recorded>& batch) {
  std::vector<Expr> losses;
  for (const Recorded& r : batch.results) {
    losses.push_back(r.loss);
    for (Expr x : {r.leaf, r.word}) engine.watch(x);
  }
  const Gradients g = engine.backward(losses, 0.5f);
  Trained t{engine.tensors(outputs_of(batch)), {}, g.loss().get()};
  for (const Parameter& p : model.params.all()) t.gradients.push_back(g.of(p));
  for (const Recorded& r : batch.results)
    for (Expr x : {r.leaf, r.word}) t.gradients.push_back(g.of(x));
  return t;
}

}  // namespace espalier::law
