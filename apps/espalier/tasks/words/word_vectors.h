// WordVectors: pre-trained vectors that initialise the word embeddings of a task.
#pragma once
#include <string>
#include <vector>

#include <espalier/data/vocabulary.h>
#include <espalier/data/word_vectors.h>
#include <espalier/espalier.h>

namespace espalier::app {

class WordVectors {
 public:
  // Reads a file and adds its words to `words`, with count 0; `file` may name several to try, as in input_file(). A
  // file that was read before is not read again. Returns the size of a vector. DataError: an earlier file has vectors
  // of another size.
  int read(const std::string& data, const std::string& file, data::Vocabulary& words);

  // Copies the vectors to the rows of their words; other rows do not change. Then frees the vectors.
  void fill(Lookup table, const data::Vocabulary& words);

 private:
  std::vector<std::string> paths_;
  std::vector<data::word_vectors::Table> tables_;
};

}  // namespace espalier::app
