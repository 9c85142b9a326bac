#include "bench/task.h"

#include <algorithm>
#include <utility>

#include "bench/tasks/trained.h"

namespace espalier::app::bench {

std::vector<Minibatch> Task::epoch(size_t batch, uint64_t seed, uint64_t number) const {
  std::vector<Minibatch> all = train::minibatches(examples(), batch, seed, number);
  if (all.size() > 1 && all.back().ids.size() < batch) all.pop_back();
  return all;
}

const std::vector<TaskKind>& published_kinds() {
  static const std::vector<TaskKind> kinds{
      {"fold-tree", "random binary trees, the benchmark of TensorFlow Fold", fold_tree, false},
      {"tree-lstm", "binary Tree-LSTM with a label at every node: Stanford Sentiment Treebank", tree_lstm, true},
      {"tagger", "BiLSTM tagger: WikiNER", tagger, true},
      {"tagger-char", "tagger with a character LSTM for rare words: WikiNER", tagger_char, true},
      {"lm", "LSTM language model with a full softmax: text, one sentence per line", lm, true},
      {"parser", "arc-hybrid parser over a BiLSTM; one coroutine per sentence in inference: CoNLL-U", parser, true},
  };
  return kinds;
}

const std::vector<TaskKind>& task_kinds() {
  static const std::vector<TaskKind> kinds = [] {
    std::vector<TaskKind> all = published_kinds();
    for (TaskKind& kind : trained_kinds())
      if (std::ranges::none_of(published_kinds(), [&](const TaskKind& k) { return k.name == kind.name; }))
        all.push_back(std::move(kind));
    return all;
  }();
  return kinds;
}

}  // namespace espalier::app::bench
