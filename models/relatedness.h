// Predicts how related two sentences are, from 1 to 5: a Child-Sum Tree-LSTM over the dependency tree of each, and a
// layer that compares the roots by angle (product) and by distance (Tai et al. 2015, section 4.2).
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include <espalier/data/sick.h>
#include <espalier/espalier.h>

namespace espalier::models {

struct Relatedness {
  static constexpr int grades = 5;
  struct Options {
    int words = 0, dim = 300, hidden = 150, compared = 50;
    float word_dropout = 0, out_dropout = 0;
  };
  using State = nn::State;
  // A score as a distribution over two grades (eq. 15): 3.6 is 0.4 of grade 3 and 0.6 of grade 4.
  struct Between {
    Index below, above;
    Number part_below, part_above;
  };

  Lookup words;
  nn::ChildSumTreeLSTM lstm;
  nn::Linear compare, out;
  Cell<State(Index, Many<State>)> node;        // a word and its children
  Cell<Expr(Expr, Expr)> shares;               // probabilities of the grades
  Cell<Expr(Expr, Expr, Between)> divergence;  // KL divergence from the gold distribution

  Relatedness(Scope p, const Options& o)
      : words(p.add_lookup("words", o.words, {o.dim}, init::uniform(-0.05f, 0.05f))),
        lstm(p / "lstm", o.dim, o.hidden),
        compare(p / "compare", 2 * o.hidden, o.compared),
        out(p / "out", o.compared, grades),
        node(p.cell("node", {{}, {o.hidden}}, [&](Index word, Many<State> kids) {
          return lstm.node(dropout(lookup(words, word), o.word_dropout), kids);
        })) {
    const auto score = [&](Expr l, Expr r) {
      return out(dropout(sigmoid(compare(concat(l * r, abs(l - r)))), o.out_dropout));
    };
    const int h = o.hidden;
    shares = p.cell("shares", {{h}, {h}}, [&](Expr l, Expr r) { return softmax(score(l, r)); });
    divergence = p.cell("divergence", {{h}, {h}, {}}, [&](Expr l, Expr r, Between target) {
      const Expr distribution =
          one_hot(grades, target.below) * target.part_below + one_hot(grades, target.above) * target.part_above;
      return kl_div(log_softmax(score(l, r)), distribution);
    });
  }

  // h of the root.
  Expr meaning(Graph& g, const data::sick::Tree& tree) const {
    std::vector<State> states(tree.nodes.size()), kids;
    for (const uint32_t i : tree.order) {
      kids.clear();
      for (const uint32_t child : tree.children(i)) kids.push_back(states[child]);
      states[i] = node(g, tree.nodes[i].word, kids);
    }
    return states[tree.root()].h;
  }

  Expr loss(Expr left, Expr right, float score) const {
    const int below = std::clamp(static_cast<int>(score), 1, grades - 1);
    const float above = score - static_cast<float>(below);
    return divergence(left, right, {below - 1, below, 1 - above, above});
  }

  // The expected grade.
  static float score(std::span<const float> shares) {
    float sum = 0;
    for (size_t i = 0; i < shares.size(); ++i) sum += static_cast<float>(i + 1) * shares[i];
    return sum;
  }
};

}  // namespace espalier::models
