#include "tasks/words/word_vectors.h"

#include <algorithm>

#include <espalier/data/fill.h>
#include <espalier/data/vocabulary.h>
#include <espalier/data/word_vectors.h>
#include "tasks/examples/input_file.h"

namespace espalier::app {

int WordVectors::read(const std::string& data, const std::string& file, data::Vocabulary& words) {
  const std::string path = input_file(data, file);
  if (std::ranges::find(paths_, path) != paths_.end()) return tables_.front().columns;
  const data::word_vectors::Table& table = tables_.emplace_back(data::word_vectors::read(path));
  paths_.push_back(path);
  if (table.columns != tables_.front().columns)
    throw DataError(path + ": its vectors have size " + std::to_string(table.columns) +
                    "; those of the first file have size " + std::to_string(tables_.front().columns));
  for (int i = 0; i < table.words.size(); ++i) words.add(table.words.word(i), 0);
  return table.columns;
}

void WordVectors::fill(Lookup table, const data::Vocabulary& words) {
  for (const data::word_vectors::Table& vectors : tables_) data::fill(table, words, vectors);
  tables_.clear();
}

}  // namespace espalier::app
