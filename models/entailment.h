// How two formulas relate: entailment, its reverse, equivalence, and so on (Bowman et al. 2015, Recursive Neural
// Networks Can Learn Logical Semantics). One recursive network reads both; a layer compares what it made of them. The
// paper compares [l; r]; here l ∘ r and |l - r| stand beside them, as Tai et al. 2015 compare sentences.
#pragma once
#include <espalier/espalier.h>

#include "models/tree_encoder.h"

namespace espalier::models {

struct Entailment {
  struct Options {
    TreeEncoder::Options tree{};
    int compared = 128, relations = 7;  // numbers in the comparison layer; classes
    float dropout = 0;                  // of the comparison layer
  };

  TreeEncoder encode;
  nn::Linear compare, out;
  Cell<Expr(Expr, Expr)> scores;       // of the relations
  Cell<Expr(Expr, Expr, Index)> loss;  // given the right one

  Entailment(Scope p, const Options& o)
      : encode(p / "tree", o.tree),
        compare(p / "compare", 4 * o.tree.hidden, o.compared),
        out(p / "out", o.compared, o.relations) {
    const auto judge = [&](Expr l, Expr r) {
      const Expr seen = relu(compare(concat(l, r, l * r, abs(l - r))));
      return out(dropout(seen, o.dropout));
    };
    const int h = o.tree.hidden;
    scores = p.cell("scores", {{h}, {h}}, [&](Expr l, Expr r) { return judge(l, r); });
    loss = p.cell("loss", {{h}, {h}, {}}, [&](Expr l, Expr r, Index c) { return cross_entropy(judge(l, r), c); });
  }

  Expr meaning(Graph& g, const data::binary_tree::Tree& formula) const { return encode(g, formula).back().h; }
};

}  // namespace espalier::models
