// Regression on long sequences with feed-forward attention (Raffel & Ellis 2015): a mean over all steps with learned
// weights instead of a recurrence. The depth does not depend on the length.
//
//   h_t = f(W x_t + b),  c = Σ_t softmax_t(v · h_t) h_t,  y = U f(V c + b') + b''
//
// f is a leaky rectifier. The paper bounds v · h_t by a tanh; here it is unbounded, so two of a thousand steps can have
// nearly all the weight.
#pragma once
#include <vector>

#include <espalier/data/synthetic/marked.h>
#include <espalier/espalier.h>

namespace espalier::models {

struct FeedForwardAttention {
  nn::Linear in, out_hidden, out;
  Parameter score;
  Cell<Expr(Number, Number)> step;
  Cell<Expr(Many<Expr>)> attend;

  FeedForwardAttention(Scope p, int hidden)
      : in(p / "in", 2, hidden),
        out_hidden(p / "out_hidden", hidden, hidden),
        out(p / "out", hidden, 1),
        score(p.add("score", {hidden}, init::uniform(-0.1f, 0.1f))),
        step(
            p.cell("step", {{}, {}}, [&](Number number, Number mark) { return leaky_relu(in(concat(number, mark))); })),
        attend(p.cell("attend", {{hidden}}, [&](Many<Expr> steps) {
          const Expr h(steps), mean = sum_rows(softmax_rows(dot(h, score)) * h);
          return out(leaky_relu(out_hidden(mean)));
        })) {}

  Expr operator()(Graph& g, const std::vector<data::marked::Step>& sequence) const {
    std::vector<Expr> steps;
    steps.reserve(sequence.size());
    for (const auto& s : sequence) steps.push_back(step(g, s.number, s.mark));
    return attend(g, steps);
  }
};

}  // namespace espalier::models
