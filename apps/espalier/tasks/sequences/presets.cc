// sequences, and its presets tagger and tagger-char.
#include "tasks/kinds.h"
#include "tasks/sequences/sequences.h"

namespace espalier::app {
namespace {

constexpr const char* glove_files = "glove/glove.6B.300d.sst.txt.gz|glove/glove.6B.300d.txt";

}  // namespace

TaskKind sequences_kind() {
  return {.name = "sequences",
          .what = "Targets of texts, or a tag per word: BiLSTM, bag of words, BiLSTM tagger",
          .paper = "Conneau et al. 2017; Joulin et al. 2017; Huang et al. 2015",
          .data = "--train FILE",
          .line = "a text, or words separated by spaces; or a file in the format of the training file",
          .metric = "accuracy; rmse",
          .higher_is_better = true,
          .make = make_task<Sequences>};
}

TaskKind tagger_kind() {
  TaskKind kind = sequences_kind();
  const Sequences::TaggedPreset preset{"wikiner/train.txt", "wikiner/dev.txt", glove_files, false};
  kind.name = "tagger";
  kind.what = "Named-entity recognition: BiLSTM tagger over words";
  kind.paper = "Huang et al. 2015; Collobert et al. 2011";
  kind.data = "wikiner/train.txt, wikiner/dev.txt, glove/glove.6B.300d.sst.txt.gz or glove.6B.300d.txt";
  kind.line = "words separated by spaces";
  kind.metric = "accuracy";
  kind.preset_of = "sequences";
  kind.make = [preset] { return std::make_unique<Sequences>(preset); };
  return kind;
}

TaskKind tagger_char_kind() {
  TaskKind kind = tagger_kind();
  const Sequences::TaggedPreset preset{"wikiner/train.txt", "wikiner/dev.txt", glove_files, true};
  kind.name = "tagger-char";
  kind.what = "Named-entity recognition: BiLSTM tagger over words and their characters";
  kind.paper = "Ma and Hovy 2016";
  kind.make = [preset] { return std::make_unique<Sequences>(preset); };
  return kind;
}

}  // namespace espalier::app
