#include <espalier/train/word_vectors.h>

#include <algorithm>

#include <espalier/base/error.h>

#include "param/slot.h"

namespace espalier::train {

Filled fill(Lookup table, const data::Vocabulary& words, const data::word_vectors::Table& vectors, bool lower_case) {
  detail::Slot& slot = *table.slot();
  if (slot.shape.rank != 2 || slot.shape[1] != vectors.columns || slot.shape[0] < words.size())
    throw ShapeError("fill: " + slot.name + str(slot.shape) + " is given vectors of " +
                     std::to_string(vectors.columns) + " numbers for " + std::to_string(words.size()) +
                     " words; one row of the vectors' size is needed for each word");
  std::vector<float>& data = slot.data.host_to_write();
  Filled filled;
  for (int i = 0; i < words.size(); ++i) {
    const auto vector = vectors.find(words.word(i), lower_case);
    if (vector.empty()) continue;
    std::copy(vector.begin(), vector.end(), data.begin() + static_cast<std::ptrdiff_t>(i) * vectors.columns);
    ++filled.words;
    if (vectors.words.find(words.word(i)) < 0) ++filled.lower_case;
  }
  return filled;
}

}  // namespace espalier::train
