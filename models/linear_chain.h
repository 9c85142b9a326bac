// A chain of tags whose neighbours know each other: a conditional random field over the tags of a sentence (Lafferty et
// al. 2001). A sequence of tags scores the sum of what each word says for its tag and of what each tag says for the
// next; its probability is its share of all sequences, which the forward algorithm adds up word by word.
#pragma once
#include <algorithm>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct LinearChain {
  // After some words: log p of the tags of the last, over all sequences so far; and how much that word added to
  // -log p of the right sequence. So losses stay as large as without the chain, and nothing overflows.
  struct Step {
    Expr tags, loss;
  };

  Parameter first;        // [tags]: scores of the first tag
  Parameter transitions;  // [tags, tags]: of a tag (row) behind another (column)
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

  // -log p of the right tags, in parts: one for each word.
  std::vector<Expr> losses(const std::vector<Expr>& scores, const std::vector<int>& right) const {
    std::vector<Expr> found;
    Step step;
    for (size_t i = 0; i < scores.size(); ++i) {
      step = i == 0 ? begin(scores[0], right[0]) : next(step.tags, scores[i], right[i - 1], right[i]);
      found.push_back(step.loss);
    }
    return found;
  }

  // The sequence with the largest score (Viterbi 1967); of several, the one whose last tags come first.
  std::vector<int> best(const std::vector<Tensor>& scores) const {
    if (scores.empty()) return {};
    const std::vector<float> by_pair = transitions.value().data;
    std::vector<float> reached = first.value().data;  // by the best sequence that ends in a tag
    const size_t tags = reached.size();
    for (size_t t = 0; t < tags; ++t) reached[t] += scores[0].data[t];
    std::vector<std::vector<size_t>> came_from(scores.size(), std::vector<size_t>(tags));
    for (size_t i = 1; i < scores.size(); ++i) {
      std::vector<float> after(tags);
      for (size_t to = 0; to < tags; ++to) {
        const float* from = by_pair.data() + to * tags;
        size_t& best_from = came_from[i][to];
        for (size_t t = 1; t < tags; ++t)
          if (reached[t] + from[t] > reached[best_from] + from[best_from]) best_from = t;
        after[to] = reached[best_from] + from[best_from] + scores[i].data[to];
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
