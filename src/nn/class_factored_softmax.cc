#include <algorithm>
#include <cmath>
#include <string>

#include <espalier/nn/softmax.h>
#include "base/draw_index.h"

namespace espalier::nn {

namespace {

std::vector<int> neighbours(int words) {
  const int each = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(words)))));
  std::vector<int> classes(static_cast<size_t>(std::max(words, 0)));
  for (int w = 0; w < words; ++w) classes[static_cast<size_t>(w)] = w / each;
  return classes;
}

// The first position of each class among the words sorted by class; the last entry is the number of words.
std::vector<uint32_t> first_words(const std::vector<int>& class_of) {
  if (class_of.empty()) throw IndexError("ClassFactoredSoftmax: no words are given; it needs at least one");
  const auto classes = static_cast<size_t>(1 + std::max(0, *std::max_element(class_of.begin(), class_of.end())));
  std::vector<uint32_t> first(classes + 1, 0);
  for (size_t w = 0; w < class_of.size(); ++w) {
    if (class_of[w] < 0)
      throw IndexError("ClassFactoredSoftmax: the class of word " + std::to_string(w) + " is " +
                       std::to_string(class_of[w]) + "; classes are numbered from 0");
    ++first[static_cast<size_t>(class_of[w]) + 1];
  }
  for (size_t c = 0; c < classes; ++c) {
    if (first[c + 1] == 0)
      throw IndexError("ClassFactoredSoftmax: class " + std::to_string(c) +
                       " has no words; classes are numbered without gaps");
    first[c + 1] += first[c];
  }
  return first;
}

Expr scores_of(Expr h, const Lookup& weight, const Lookup& bias, const ClassFactoredSoftmax::Chunk& words,
               Number count) {
  constexpr float never = -1e9f;
  std::vector<Expr> rows, biases;
  for (const Index& w : words) {
    // -1e9 for the padding after the last word, so that its exponential and its gradients are 0.
    const Expr shut = where(Operand(count) - static_cast<float>(rows.size()), 0.f, never);
    rows.push_back(lookup(weight, w));
    biases.push_back(reshape(lookup(bias, w) + shut, {1}));
  }
  return matmul(stack(rows, 0), h) + concat(biases, 0);
}

int draw(const Tensor& log_probabilities, uint64_t random, Where at) {
  for (const float p : log_probabilities)
    if (!std::isfinite(p))
      throw NumberError("ClassFactoredSoftmax: a log probability of " + str(log_probabilities.shape()) + " is " +
                        std::to_string(p) + "; to sample, all must be finite" + str(at));
  return draw_index(log_probabilities.values(), random);
}

}  // namespace

ClassFactoredSoftmax::ClassFactoredSoftmax(Scope p, int in, int words)
    : ClassFactoredSoftmax(p, in, neighbours(words)) {}

ClassFactoredSoftmax::ClassFactoredSoftmax(Scope p, int in, std::vector<int> classes)
    : class_of(std::move(classes)),
      first(first_words(class_of)),
      class_weight((p / "classes").add("weight", {static_cast<int>(first.size()) - 1, in})),
      class_bias((p / "classes").add("bias", {static_cast<int>(first.size()) - 1}, init::constant(0))),
      weight((p / "words").add_lookup("weight", static_cast<int>(class_of.size()), {in})),
      bias((p / "words").add_lookup("bias", static_cast<int>(class_of.size()), {}, init::constant(0))),
      classes_cell(p.cell("classes", {{in}}, [&](Expr h) { return log_softmax(linear(h, class_weight, class_bias)); })),
      scores_cell(p.cell("scores", {{in}, {}, {}},
                         [&](Expr h, Chunk words, Number count) { return scores_of(h, weight, bias, words, count); })),
      sum_cell(p.cell(
          "sum", {{in}, {}, {}},
          [&](Expr h, Chunk words, Number count) { return logsumexp(scores_of(h, weight, bias, words, count)); })),
      cell(p.cell("loss", {{in}, {}, {}, {}}, [&](Expr h, Index c, Index word, Many<Expr> sums) {
        return cross_entropy(linear(h, class_weight, class_bias), c) + logsumexp_rows(sums) -
               (dot(lookup(weight, word), h) + lookup(bias, word));
      })) {
  std::vector<uint32_t> next = first;
  members.resize(class_of.size());
  for (size_t w = 0; w < class_of.size(); ++w) {
    const auto c = static_cast<size_t>(class_of[w]);
    place_of.push_back(static_cast<int>(next[c] - first[c]));
    members[next[c]++] = static_cast<int>(w);
  }
}

std::span<const int> ClassFactoredSoftmax::words(int c, Where at) const {
  if (c < 0 || static_cast<size_t>(c) + 1 >= first.size())
    throw IndexError("ClassFactoredSoftmax: class " + std::to_string(c) + " is out of range; it must be 0…" +
                     std::to_string(first.size() - 2) + str(at));
  const auto i = static_cast<size_t>(c);
  return std::span(members).subspan(first[i], first[i + 1] - first[i]);
}

// Calls f(chunk, count) for the chunks of class c. The last chunk is padded with its last word; `count` is the number
// of words without padding.
template <class F>
void ClassFactoredSoftmax::each_chunk(int c, Where at, F f) const {
  const std::span<const int> all = words(c, at);
  for (size_t from = 0; from < all.size(); from += chunk) {
    Chunk some;
    for (size_t i = 0; i < chunk; ++i) some[i] = Index(all[std::min(from + i, all.size() - 1)]);
    f(some, Number(static_cast<float>(std::min(chunk, all.size() - from))));
  }
}

Expr ClassFactoredSoftmax::loss(Expr h, int word, Where at) const {
  if (word < 0 || static_cast<size_t>(word) >= class_of.size())
    throw IndexError("ClassFactoredSoftmax: word " + std::to_string(word) + " is out of range; it must be 0…" +
                     std::to_string(class_of.size() - 1) + str(at));
  const int c = class_of[static_cast<size_t>(word)];
  std::vector<Expr> sums;
  each_chunk(c, at, [&](const Chunk& some, Number count) { sums.push_back(sum_cell(h, some, count, at)); });
  return cell(h, c, word, sums, at);
}

Expr ClassFactoredSoftmax::class_log_probabilities(Expr h, Where at) const { return classes_cell(h, at); }

Expr ClassFactoredSoftmax::word_log_probabilities(Expr h, int c, Where at) const {
  std::vector<Expr> scores;
  each_chunk(c, at, [&](const Chunk& some, Number count) { scores.push_back(scores_cell(h, some, count, at)); });
  constexpr size_t most = 32;  // maximal number of operands of a concat outside a cell
  while (scores.size() > 1) {
    std::vector<Expr> joined;
    for (size_t i = 0; i < scores.size(); i += most)
      joined.push_back(concat(std::span(scores).subspan(i, std::min(most, scores.size() - i)), 0, at));
    scores = std::move(joined);
  }
  const Expr all = scores[0];
  const auto size = static_cast<int>(words(c, at).size());
  return log_softmax(size == all.shape()[0] ? all : slice(all, 0, size, 0, at), -1, at);
}

int ClassFactoredSoftmax::sample(Graph& g, Expr h, const std::function<Tensor(Expr)>& read, Where at) const {
  const int c = draw(read(class_log_probabilities(h, at)), g.random(), at);
  return words(c, at)[static_cast<size_t>(draw(read(word_log_probabilities(h, c, at)), g.random(), at))];
}

std::vector<Expr> ClassFactoredSoftmax::log_probabilities(Expr h, Where at) const {
  const Expr classes = class_log_probabilities(h, at);
  std::vector<Expr> rows;
  for (int c = 0; c + 1 < static_cast<int>(first.size()); ++c)
    rows.push_back(word_log_probabilities(h, c, at) + pick(classes, c, 0, at));
  return rows;
}

}  // namespace espalier::nn
