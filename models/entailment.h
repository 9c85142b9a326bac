// Predicts the relation of two formulas: entailment, its reverse, equivalence, and so on (Bowman et al. 2015, Recursive
// Neural Networks Can Learn Logical Semantics). One recursive network encodes both; a layer compares the encodings. The
// paper compares [l; r]; this model adds l ∘ r and |l - r|, as Tai et al. 2015 do for sentences.
#pragma once
#include <espalier/data/binary_tree.h>
#include <espalier/espalier.h>

#include "models/tree_encoder.h"

namespace espalier::models {

struct Entailment {
  struct Options {
    TreeEncoder::Options tree{};
    int compared = 128, relations = 7;  // units of the comparison layer; number of classes
    float dropout = 0;                  // after the comparison layer
  };

  TreeEncoder encode;
  nn::Linear compare, out;
  Cell<Expr(Expr, Expr)> scores;       // scores of the relations
  Cell<Expr(Expr, Expr, Index)> loss;  // cross entropy with the given relation

  Entailment(Scope p, const Options& o)
      : encode(p / "tree", o.tree),
        compare(p / "compare", 4 * o.tree.hidden, o.compared),
        out(p / "out", o.compared, o.relations) {
    const auto score = [&](Expr l, Expr r) {
      const Expr seen = relu(compare(concat(l, r, l * r, abs(l - r))));
      return out(dropout(seen, o.dropout));
    };
    const int h = o.tree.hidden;
    scores = p.cell("scores", {{h}, {h}}, [&](Expr l, Expr r) { return score(l, r); });
    loss = p.cell("loss", {{h}, {h}, {}}, [&](Expr l, Expr r, Index c) { return cross_entropy(score(l, r), c); });
  }

  Expr meaning(Graph& g, const data::binary_tree::Tree& formula) const { return encode(g, formula).back().h; }
};

}  // namespace espalier::models
