#include <espalier/nn/mlp.h>

#include <string>

namespace espalier::nn {

namespace {

std::vector<Linear> layers_of(const Scope& p, const std::vector<int>& sizes) {
  if (sizes.size() < 2)
    throw ShapeError("MLP: " + std::to_string(sizes.size()) +
                     " sizes are given; at least those of the input and the output are needed");
  std::vector<Linear> layers;
  for (size_t k = 0; k + 1 < sizes.size(); ++k) layers.emplace_back(p / std::to_string(k), sizes[k], sizes[k + 1]);
  return layers;
}

}  // namespace

MLP::MLP(Scope p, const std::vector<int>& sizes, Activation activation, float dropped)
    : layers(layers_of(p, sizes)), cell(p.cell("mlp", {{sizes[0]}}, [&](Expr x) {
        for (size_t k = 0; k < layers.size(); ++k) {
          if (k > 0) x = activation(x, Where::here());
          if (k > 0 && dropped > 0) x = dropout(x, dropped);
          x = layers[k](x);
        }
        return x;
      })) {}

}  // namespace espalier::nn
