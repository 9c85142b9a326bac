// Lesson 17: language identification.
//
// An LSTM reads a word letter by letter, and its last state is classified. The words are from four invented languages
// that differ only in the order of consonants and vowels.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr;

// --- model from here
Block<std::string, Expr> language_of(esp::Scope p, int languages) {
  return identity<std::string>() >> map(esp::nn::Embedding(p / "letters", 128, 16)) >>
         rnn(esp::nn::LSTM(p / "lstm", 16, 32)) >> get<0>() >> nth(-1) >> esp::nn::Linear(p / "out", 32, languages);
}
// --- to here

struct Word {
  std::string letters;
  int language;
};
// All languages use the same letters; they differ in the structure of a syllable.
Word random_word(std::mt19937& random) {
  const auto language = static_cast<int>(random() % 4);
  std::string word;
  for (size_t syllables = 2 + random() % 3; syllables > 0; --syllables) {
    const char consonant = "klmnst"[random() % 6], vowel = "aeiou"[random() % 5], other = "klmnst"[random() % 6];
    if (language == 0) word += {consonant, vowel};         // kalosi
    if (language == 1) word += {vowel, consonant};         // akolis
    if (language == 2) word += {consonant, other, vowel};  // ktasno
    if (language == 3) word += {consonant, vowel, vowel};  // kaaloo
  }
  return {word, language};
}

int main() {
  std::mt19937 random(17);
  std::vector<Word> train, test;
  for (int i = 0; i < 1000; ++i) train.push_back(random_word(random));
  for (int i = 0; i < 200; ++i) test.push_back(random_word(random));

  esp::Engine engine;
  esp::Parameters params(17);
  const auto model = language_of(params, 4);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 17, epoch)) {
      auto batch = engine.record(
          m, [&](esp::Graph& g, size_t i) { return cross_entropy(model(g, train[i].letters), train[i].language); });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    std::printf("epoch %d: loss %.3f\n", static_cast<int>(epoch), loss.get());
  }

  const auto read = field<&Word::letters>() >> model;  // the same model, applied to a field of a struct
  const std::vector<esp::Tensor> scores = engine.infer(engine.record(test, read, {.mode = esp::Mode::infer}));
  esp::train::Mean right;
  for (size_t i = 0; i < test.size(); ++i) {
    const auto best = std::ranges::max_element(scores[i]) - scores[i].begin();
    right.add(best == test[i].language);
    if (i < 4) std::printf("%s: language %d\n", test[i].letters.c_str(), static_cast<int>(best));
  }
  std::printf("accuracy: %.3f\n", right.get());
}
