// Classifies small images with fully connected layers, dropout and layer normalisation. Written in blocks, after
// TensorFlow Fold's MNIST example.
#pragma once
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace espalier::models {

struct ImagesOptions {
  int pixels = 28 * 28, hidden = 128, classes = 10;
  float in_dropout = 0.1f, dropout = 0.2f;
};

// Scores of the classes, from the pixels of an image.
inline block::Block<std::vector<float>, Expr> images(Scope p, const ImagesOptions& o) {
  using namespace block;
  const int half = (o.hidden + 1) / 2;
  return identity<std::vector<float>>() >> vector(o.pixels) >>
         nn::FC(p / "1", o.pixels, o.hidden, {.dropout = o.in_dropout}) >>
         nn::FC(p / "2", o.hidden, half, {.dropout = o.dropout, .layer_norm = true}) >>
         nn::Linear(p / "out", half, o.classes);
}

}  // namespace espalier::models
