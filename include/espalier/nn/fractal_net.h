// FractalNet: layers on short and long parallel paths, some of which are dropped in training.
#pragma once
#include <array>
#include <string>
#include <vector>

#include <espalier/expr/cell.h>
#include <espalier/expr/graph.h>

namespace espalier::nn {

// Drop-path, in training: some examples use a single column from end to end (global drop-path); in the others each
// input of a join is dropped with a given probability, but never both inputs (local drop-path). Dropped paths are not
// computed. Random choices are keyed like dropout.
struct FractalNetOptions {
  float drop_path = 0;  // probability of dropping an input of a join; 0 disables drop-path. Larsson et al. use 0.15
  float share_global = 0.5f;  // fraction of examples with global drop-path
};

// Larsson et al. 2017, section 3: a block of one column is a layer, f_1(z) = layer(z); a block of C + 1 columns is
//   f_C+1(z) = mean(f_C(f_C(z)), layer(z))
// The network is a sequence of `blocks`. build(scope) creates a layer, which maps rows to rows of the same shape. A
// block of C columns has 2^C - 1 layers; layer k of block b is named b.k, in the order of the formula, inside out.
template <class Layer>
struct FractalNet {
  int columns;
  std::vector<std::vector<Layer>> blocks;
  FractalNetOptions options;

  template <class Build>
  FractalNet(Scope scope, int block_count, int column_count, const Build& build, const FractalNetOptions& opts = {})
      : columns(column_count), blocks(static_cast<size_t>(block_count < 0 ? 0 : block_count)), options(opts) {
    if (block_count < 1 || column_count < 1 || column_count > 16)
      throw ShapeError("FractalNet: " + std::to_string(block_count) + " blocks of " + std::to_string(column_count) +
                       " columns; it needs at least one block, and 1…16 columns");
    for (size_t b = 0; b < blocks.size(); ++b)
      for (size_t k = 0; k < layers_of(columns); ++k)
        blocks[b].push_back(build(scope / std::to_string(b) / std::to_string(k)));
  }

  Expr operator()(Graph& g, Expr x) const {
    Paths paths{g, options.drop_path, -1};
    if (options.drop_path <= 0 || g.mode() == Mode::infer)
      paths.drop = 0;
    else if (paths.draw() < options.share_global)
      paths.only = static_cast<int>(g.random() % static_cast<uint64_t>(columns));
    for (const std::vector<Layer>& layers : blocks) x = fractal(layers.data(), columns, x, paths);
    return x;
  }

 private:
  struct Paths {
    Graph& g;
    float drop;
    int only;  // the only column to use, 0 being the shortest; -1: all
    float draw() const { return static_cast<float>(g.random() >> 40) * 0x1p-24f; }
  };
  static constexpr size_t layers_of(int column_count) { return (size_t{1} << column_count) - 1; }

  // The recursion depth is the number of columns. `layers`: the layers of the inner f_C-1, those of the outer f_C-1,
  // and the single layer.
  Expr fractal(const Layer* layers, int c, Expr x, const Paths& paths) const {
    const size_t inner = layers_of(c - 1);
    bool deep = c > 1, flat = true;
    if (deep && paths.only >= 0) {
      flat = paths.only == columns - c;
      deep = !flat;
    } else if (deep && paths.drop > 0) {
      const bool keep_deep = paths.draw() >= paths.drop, keep_flat = paths.draw() >= paths.drop;
      const bool one = (paths.g.random() & 1) != 0;  // which one to keep if both would be dropped
      deep = keep_deep || (!keep_flat && one);
      flat = keep_flat || (!keep_deep && !one);
    }
    if (!deep) return layers[2 * inner](x);
    const Expr through = fractal(layers + inner, c - 1, fractal(layers, c - 1, x, paths), paths);
    if (!flat) return through;
    return mean(std::array<Expr, 2>{through, layers[2 * inner](x)});
  }
};
template <class Build>
FractalNet(Scope, int, int, const Build&, const FractalNetOptions& = {})
    -> FractalNet<decltype(std::declval<const Build&>()(std::declval<Scope>()))>;

}  // namespace espalier::nn
