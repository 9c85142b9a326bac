// Lesson 19: small images, fully connected layers, dropout.
//
// Classifies digits drawn as on a seven-segment display, at a random position in 12 × 12 noisy pixels.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr;

constexpr size_t side = 12;
struct Image {
  std::array<float, side * side> pixels;
  int digit;
};

// --- model from here
Block<Image, Expr> digit_of(esp::Scope p) {
  return field<&Image::pixels>() >> vector(144) >> esp::nn::FC(p / "1", 144, 128, {.dropout = 0.1f}) >>
         esp::nn::FC(p / "2", 128, 64, {.dropout = 0.2f, .layer_norm = true}) >> esp::nn::Linear(p / "out", 64, 10);
}
// --- to here

Image random_image(std::mt19937& random) {
  //   0      bit k of a digit is its segment k
  // 5   1
  //   6
  // 4   2
  //   3
  constexpr int segments[] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
  constexpr size_t row[] = {0, 1, 5, 8, 5, 1, 4}, column[] = {1, 4, 4, 1, 0, 0, 1};
  Image image{{}, static_cast<int>(random() % 10)};
  const size_t top = random() % 4, left = random() % 8;
  for (size_t s = 0; s < 7; ++s)
    for (size_t i = 0; (segments[image.digit] >> s & 1) != 0 && i < 3; ++i) {
      const bool lies = s == 0 || s == 3 || s == 6;
      image.pixels[(top + row[s] + (lies ? 0 : i)) * side + left + column[s] + (lies ? i : 0)] = 1;
    }
  for (float& pixel : image.pixels) pixel += static_cast<float>(random() % 1000) * 3e-4f;
  return image;
}

int main() {
  std::mt19937 random(19);
  std::vector<Image> train(3000), test(500);
  for (Image& image : train) image = random_image(random);
  for (Image& image : test) image = random_image(random);

  esp::Engine engine;
  esp::Parameters params(19);
  const auto model = digit_of(params);
  esp::optim::Adam adam(params, {.lr = 0.003f});
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 19, epoch)) {
      auto batch =
          engine.record(m, [&](esp::Graph& g, size_t i) { return cross_entropy(model(g, train[i]), train[i].digit); });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    if (epoch % 4 == 3) std::printf("epoch %2d: loss %.3f\n", static_cast<int>(epoch), loss.get());
  }

  for (size_t y = 0; y < side; ++y, std::printf("\n"))
    for (size_t x = 0; x < side; ++x) std::printf("%c", " .#"[static_cast<int>(2 * test[0].pixels[y * side + x])]);
  const std::vector<esp::Tensor> scores = engine.infer(engine.record(test, model, {.mode = esp::Mode::infer}));
  esp::train::Mean right;
  for (size_t i = 0; i < test.size(); ++i)
    right.add(std::ranges::max_element(scores[i]) - scores[i].begin() == test[i].digit);
  std::printf("accuracy: %.3f\n", right.get());
}
