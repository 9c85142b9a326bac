#include <espalier/data/fill.h>

#include <algorithm>

#include <espalier/base/error.h>

namespace espalier::data {

Filled fill(Lookup table, const Vocabulary& words, const word_vectors::Table& vectors, bool lower_case) {
  const Shape shape = table.shape();
  if (shape.rank != 2 || shape[1] != vectors.columns || shape[0] < words.size())
    throw ShapeError("fill: " + table.name() + str(shape) + " does not fit vectors of size " +
                     std::to_string(vectors.columns) + " for " + std::to_string(words.size()) +
                     " words; it must be [n," + std::to_string(vectors.columns) + "] with n at least " +
                     std::to_string(words.size()));
  std::vector<float> values = table.value().to_vector();
  Filled filled;
  for (int i = 0; i < words.size(); ++i) {
    const auto vector = vectors.find(words.word(i), lower_case);
    if (vector.empty()) continue;
    std::ranges::copy(vector, values.begin() + static_cast<std::ptrdiff_t>(i) * vectors.columns);
    ++filled.words;
    if (vectors.words.find(words.word(i)) < 0) ++filled.lower_case;
  }
  table.assign({shape, std::move(values)});
  return filled;
}

}  // namespace espalier::data
