// A linear-chain conditional random field over the tags of a sentence (Lafferty et al. 2001). The score of a tag
// sequence is the sum of the scores of its tags and of its transitions; its probability is the softmax over all
// sequences. The forward algorithm computes the normaliser word by word.
#pragma once
#include <algorithm>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct LinearChain {
  // The state after a word: the log probabilities of its tags over all sequences so far, and the increment of -log p of
  // the gold sequence. Normalising at every word keeps the losses small and prevents overflow.
  struct Step {
    Expr tags, loss;
  };

  Parameter first;        // [tags]: scores of the first tag
  Parameter transitions;  // [tags, tags]: score of a tag (row) after a tag (column)
  Cell<Step(Expr, Index)> begin;
  Cell<Step(Expr, Expr, Index, Index)> next;

  LinearChain(Scope p, int tags)
      : first(p.add("first", {tags}, init::constant(0))),
        transitions(p.add("transitions", {tags, tags}, init::constant(0))),
        begin(p.cell("begin", {{tags}, {}},
                     [&](Expr scores, Index right) {
                       const Expr all = scores + first, total = logsumexp(all);
                       return Step{all - total, total - pick(all, right)};
                     })),
        next(p.cell("next", {{tags}, {tags}, {}, {}}, [&, tags](Expr before, Expr scores, Index from, Index to) {
          const Expr pairs = broadcast(before, 0, tags) + transitions;
          const Expr all = logsumexp(pairs) + scores, total = logsumexp(all);
          return Step{all - total, total - (pick(pick(pairs, to), from) - pick(before, from) + pick(scores, to))};
        })) {}

  // -log p of the gold tags as a sum of one term per word.
  std::vector<Expr> losses(const std::vector<Expr>& scores, const std::vector<int>& right) const {
    std::vector<Expr> found;
    Step step;
    for (size_t i = 0; i < scores.size(); ++i) {
      step = i == 0 ? begin(scores[0], right[0]) : next(step.tags, scores[i], right[i - 1], right[i]);
      found.push_back(step.loss);
    }
    return found;
  }

  // The sequence with the largest score (Viterbi 1967); ties go to the smaller tag, from the last word on.
  std::vector<int> best(const std::vector<Tensor>& scores) const {
    if (scores.empty()) return {};
    const Tensor by_pair = transitions.value();
    std::vector<float> reached = first.value().to_vector();  // score of the best sequence that ends in each tag
    const size_t tags = reached.size();
    for (size_t t = 0; t < tags; ++t) reached[t] += scores[0][t];
    std::vector<std::vector<size_t>> came_from(scores.size(), std::vector<size_t>(tags));
    for (size_t i = 1; i < scores.size(); ++i) {
      std::vector<float> after(tags);
      for (size_t to = 0; to < tags; ++to) {
        const float* from = by_pair.data() + to * tags;
        size_t& best_from = came_from[i][to];
        for (size_t t = 1; t < tags; ++t)
          if (reached[t] + from[t] > reached[best_from] + from[best_from]) best_from = t;
        after[to] = reached[best_from] + from[best_from] + scores[i][to];
      }
      reached = after;
    }
    std::vector<int> found(scores.size());
    auto tag = static_cast<size_t>(std::max_element(reached.begin(), reached.end()) - reached.begin());
    for (size_t i = scores.size(); i-- > 0; tag = came_from[i][tag]) found[i] = static_cast<int>(tag);
    return found;
  }
};

}  // namespace espalier::models
