// images: synthetic handwritten digits, of the size of MNIST.
#include <charconv>

#include <fmt/format.h>
#include <espalier/data/synthetic/digit_images.h>
#include <espalier/text/lines.h>

#include "models/images.h"
#include "task/classifier_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

namespace digit_images = data::digit_images;
using digit_images::Image;

constexpr size_t pixels = static_cast<size_t>(digit_images::width) * digit_images::height;
const std::string image_line = fmt::format("{} pixels from 0 to 1, row by row, separated by spaces", pixels);

// Reads a digit, a tab and the pixels, or the pixels alone.
Image read_image(const data::Lines& lines) {
  const std::string_view line = lines.line();
  Image image;
  size_t at = 0;
  if (const size_t tab = line.find('\t'); tab != std::string_view::npos) {
    if (tab != 1 || line[0] < '0' || line[0] > '9')
      lines.fail(1, fmt::format("'{}' is not a digit", line.substr(0, tab)));
    image.digit = line[0] - '0';
    at = tab + 1;
  }
  while ((at = line.find_first_not_of(' ', at)) != std::string_view::npos) {
    const size_t end = std::min(line.find(' ', at), line.size());
    float pixel = -1;
    const auto [stop, error] = std::from_chars(line.data() + at, line.data() + end, pixel);
    if (error != std::errc{} || stop != line.data() + end || !(pixel >= 0 && pixel <= 1))
      lines.fail(at + 1, fmt::format("'{}' is not a number from 0 to 1", line.substr(at, end - at)));
    image.pixels.push_back(pixel);
    at = end;
  }
  if (image.pixels.size() != pixels)
    lines.fail(1, fmt::format("found {} pixels; needed {}", image.pixels.size(), pixels));
  return image;
}

// For files: the label is required.
Image read_labelled_image(const data::Lines& lines) {
  if (lines.line().find('\t') == std::string_view::npos)
    lines.fail(1, "label is missing; needed a digit, a tab and the pixels");
  return read_image(lines);
}

class Images : public ClassifierTask<Image> {
 public:
  Images() {
    training.epochs = 10;
    training.batch = 50;
    training.lr = 3e-3;
  }
  void settings(Fields& f) override {
    f.add("examples", examples_, 1, "Number of training images");
    f.add("hidden", hidden_, 1, "Units of the first layer; the second has half as many");
    f.add("in-dropout", in_dropout_, {0, 0.99}, "Dropout on pixels");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the first layer");
  }
  void read() override {
    train_ = digit_images::generate(static_cast<size_t>(examples_), 1);
    read_dev();
  }
  void read_dev() override { dev_ = digit_images::generate(1000, 2); }
  void read_dev(const std::string& path) override { dev_ = line_examples<Image>(path, read_labelled_image); }
  void build(Scope p) override {
    model_ = models::images(p, {.pixels = static_cast<int>(pixels),
                                .hidden = hidden_,
                                .classes = digit_images::digits,
                                .in_dropout = static_cast<float>(in_dropout_),
                                .dropout = static_cast<float>(dropout_)});
  }

 protected:
  Expr scores(Graph& g, const Image& image) const override { return model_(g, image.pixels); }
  int class_of(const Image& image) const override { return image.digit; }
  std::vector<std::string> labels() const override { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }
  Image parse(const std::string& line) const override { return line_example<Image>(line, image_line, read_image); }

 private:
  int examples_ = 5000, hidden_ = 128;
  double in_dropout_ = 0.1, dropout_ = 0.2;
  block::Block<std::vector<float>, Expr> model_;
};

}  // namespace

TaskKind images_kind() {
  return {.name = "images",
          .what = "Synthetic handwritten digits, 28 × 28: fully connected layers",
          .paper = "an example of TensorFlow Fold (Looks et al. 2017)",
          .data = "generated",
          .line = image_line,
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<Images>};
}

}  // namespace espalier::app
