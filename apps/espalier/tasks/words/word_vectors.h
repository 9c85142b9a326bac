// WordVectors: what the words of a task start from, where others have learned it before.
#pragma once
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::app {

class WordVectors {
 public:
  // Reads a file of the data folder. Its words join those of the task, as words that were never met in training.
  // Returns the numbers of a vector. DataError: an earlier file has another number of them.
  int read(const std::string& data, const std::string& file, data::Vocabulary& words);

  // Into the rows of the words; those without a vector stay as they are. Then all that was read is forgotten.
  void fill(Lookup table, const data::Vocabulary& words);

 private:
  std::vector<data::word_vectors::Table> tables_;
};

}  // namespace espalier::app
