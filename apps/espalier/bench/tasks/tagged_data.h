// The data of both taggers.
#pragma once
#include <espalier/data/tagged.h>
#include <espalier/data/vocabulary.h>
#include "bench/task.h"
#include "bench/tasks/file.h"
#include "bench/tasks/tagger.h"

namespace espalier::app::bench {

struct TaggedData {
  data::Vocabulary words, tags;
  std::vector<data::tagged::Sentence> sentences;

  explicit TaggedData(const Sizes& s) {
    if (s.data.empty()) {
      sentences = data::tagged::generate(generated_sentences, s.seed, words, tags);
    } else {
      std::ifstream file = open(s.data);
      sentences = data::tagged::read(file, words, tags, s.data);
    }
  }
  bool is_rare(int word) const { return words.count(word) <= rare_count; }
};

inline TaggerSizes tagger_sizes(const Sizes& s, int words, int tags) {
  return {words, tags, s.dim > 0 ? s.dim : tagger_dim, s.hidden > 0 ? s.hidden : tagger_hidden};
}

}  // namespace espalier::app::bench
