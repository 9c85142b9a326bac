// The code of docs/saving.md: saves a model, rebuilds it from the file alone, and continues training.
#include <algorithm>
#include <cstdio>
#include <string>

#include <espalier/data.h>
#include <espalier/espalier.h>

namespace data = espalier::data;
namespace io = espalier::io;
namespace nn = espalier::nn;
namespace train = espalier::train;

struct Model {
  espalier::Parameters params{7};
  espalier::nn::Embedding table;
  espalier::nn::Linear out;
  espalier::optim::Adam adam{params};
  Model(int words, int hidden, int classes)
      : table(params / "words", words, hidden), out(params / "out", hidden, classes) {}
};

int main() {
  data::Vocabulary words;
  for (const char* word : {"the", "espalier", "grows", "the"}) words.add(word);
  const std::vector<std::string> labels{"noun", "verb", "other"};
  Model model(words.size(), 150, 3);
  auto& [params, table, out, adam] = model;
  espalier::Engine engine({.seed = 3});
  io::Position at{2, 17};
  {
    // clang-format off
// --- docs from here
io::Meta meta{{"hidden", "150"}, {"words", data::pack(words)}, {"labels", data::pack(labels)}};
io::save("model.safetensors", {&params, &adam, &engine, meta, &at});  // at: the next epoch and minibatch

io::Meta saved = io::load("model.safetensors", {});                   // the configuration of the model
data::Vocabulary known = data::unpack_vocabulary(saved.at("words"));
std::vector<std::string> classes = data::unpack_words(saved.at("labels"));
Model again(known.size(), std::stoi(saved.at("hidden")), int(classes.size()));
io::load("model.safetensors", {&again.params});                       // to predict
io::load("model.safetensors", {&again.params, &again.adam, &engine, {}, &at});  // to continue training, bit for bit
// --- to here
    // clang-format on
    std::printf("%d words, %zu labels, epoch %d, minibatch %d, %s\n", known.size(), classes.size(), int(at.epoch),
                int(at.minibatch),
                std::ranges::equal(again.out.weight.value(), out.weight.value()) ? "equal" : "different");
  }

  // Compiled but not called: the files are not available.
  [[maybe_unused]] const auto from_files = [&] {
    // clang-format off
// --- docs from here
io::load("model.pt", {&params});
// --- to here
// --- docs from here
const auto vectors = data::word_vectors::read("glove.6B.300d.txt.gz", {&words});  // only the words of this vocabulary
nn::Embedding table(params / "words", words.size(), vectors.columns);
const data::Filled filled = data::fill(table.weight, words, vectors, true);       // true: fall back to lower case
// --- to here
    // clang-format on
    return filled.words;
  };
}
