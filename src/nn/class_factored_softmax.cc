#include <algorithm>
#include <cmath>
#include <string>

#include <espalier/nn/softmax.h>

namespace espalier::nn {

namespace {

std::vector<int> neighbours(int words) {
  const int each = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(words)))));
  std::vector<int> classes(static_cast<size_t>(std::max(words, 0)));
  for (int w = 0; w < words; ++w) classes[static_cast<size_t>(w)] = w / each;
  return classes;
}

std::vector<int> sizes_of(const std::vector<int>& class_of) {
  if (class_of.empty()) throw IndexError("ClassFactoredSoftmax: no words are given; it needs at least one");
  std::vector<int> sizes(static_cast<size_t>(1 + std::max(0, *std::max_element(class_of.begin(), class_of.end()))), 0);
  for (size_t w = 0; w < class_of.size(); ++w) {
    if (class_of[w] < 0)
      throw IndexError("ClassFactoredSoftmax: the class of word " + std::to_string(w) + " is " +
                       std::to_string(class_of[w]) + "; classes are numbered from 0");
    ++sizes[static_cast<size_t>(class_of[w])];
  }
  for (size_t c = 0; c < sizes.size(); ++c)
    if (sizes[c] == 0)
      throw IndexError("ClassFactoredSoftmax: class " + std::to_string(c) +
                       " has no words; classes are numbered without gaps");
  return sizes;
}
int count_of(const std::vector<int>& class_of) { return static_cast<int>(sizes_of(class_of).size()); }
int most_of(const std::vector<int>& class_of) {
  const std::vector<int> sizes = sizes_of(class_of);
  return *std::max_element(sizes.begin(), sizes.end());
}

std::vector<int> places_of(const std::vector<int>& class_of) {
  std::vector<int> next(static_cast<size_t>(count_of(class_of)), 0), places;
  for (int c : class_of) places.push_back(next[static_cast<size_t>(c)]++);
  return places;
}

Init shut_out_what_is_no_word(const std::vector<int>& class_of) {
  const std::vector<int> sizes = sizes_of(class_of);
  const int most = most_of(class_of);
  std::vector<float> bias;
  for (int size : sizes)
    for (int k = 0; k < most; ++k) bias.push_back(k < size ? 0.f : -1e9f);
  return init::from(std::move(bias));
}

}  // namespace

ClassFactoredSoftmax::ClassFactoredSoftmax(Scope p, int in, int words)
    : ClassFactoredSoftmax(p, in, neighbours(words)) {}

ClassFactoredSoftmax::ClassFactoredSoftmax(Scope p, int in, std::vector<int> classes)
    : class_of(std::move(classes)),
      place_of(places_of(class_of)),
      class_weight((p / "classes").add("weight", {count_of(class_of), in})),
      class_bias((p / "classes").add("bias", {count_of(class_of)}, init::constant(0))),
      weight((p / "words").add_lookup("weight", count_of(class_of), {most_of(class_of), in})),
      bias((p / "words").add_lookup("bias", count_of(class_of), {most_of(class_of)}, init::constant(0))),
      shut((p / "words")
               .add_lookup("shut", count_of(class_of), {most_of(class_of)}, shut_out_what_is_no_word(class_of))),
      cell(p.cell("loss", {{in}, {}, {}},
                  [&](Expr h, Index c, Index place) {
                    return cross_entropy(linear(h, class_weight, class_bias), c) +
                           cross_entropy(matmul(lookup(weight, c), h) + lookup(bias, c) + lookup(shut, c), place);
                  })),
      class_of_words(p.cell("class", {{in}, {}}, [&](Expr h, Index c) {
        return log_softmax(matmul(lookup(weight, c), h) + lookup(bias, c) + lookup(shut, c)) +
               pick(log_softmax(linear(h, class_weight, class_bias)), c);
      })) {
  shut.freeze();  // else weight decay would let them in
}

Expr ClassFactoredSoftmax::loss(Expr h, int word, Where at) const {
  if (word < 0 || static_cast<size_t>(word) >= class_of.size())
    throw IndexError("ClassFactoredSoftmax: word " + std::to_string(word) + " is out of range; it must be 0…" +
                     std::to_string(class_of.size() - 1) + str(at));
  const auto w = static_cast<size_t>(word);
  return cell(h, class_of[w], place_of[w], at);
}

std::vector<Expr> ClassFactoredSoftmax::log_probabilities(Expr h, Where at) const {
  std::vector<Expr> rows;
  const std::vector<int> sizes = sizes_of(class_of);
  for (size_t c = 0; c < sizes.size(); ++c) {
    const Expr all = class_of_words(h, static_cast<int>(c), at);
    rows.push_back(sizes[c] == all.shape()[0] ? all : slice(all, 0, sizes[c], 0, at));
  }
  return rows;
}

}  // namespace espalier::nn
