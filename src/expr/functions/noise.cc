#include <espalier/expr/functions/noise.h>

#include "expr/functions/function.h"
#include "op/kernel/noise.h"

namespace espalier {

// With p = 0 nothing is recorded.
Expr dropout(Expr x, float p, Where at) { return p == 0 && x ? x : single<op::Dropout>({x}, {p}, at); }
Expr dropout_row(Expr x, float p, Where at) { return p == 0 && x ? x : single<op::DropoutRow>({x}, {p}, at); }
Expr dropout_axis(Expr x, float p, int axis, Where at) {
  return single<op::DropoutAxis>({x}, {p, axis_of(x, axis)}, at);
}
Expr dropout_block(Expr x, float p, int size, Where at) { return single<op::DropoutBlock>({x}, {p, size}, at); }
Expr gaussian_noise(Expr x, float sd, Where at) { return single<op::GaussianNoise>({x}, {sd}, at); }

namespace {

// `beside` draws in the graph or trace of `like`, once per row if `like` is a list of rows. `alone` draws in a graph.
template <class Op>
Expr beside(Expr like, Shape shape, float a, float b, Where at) {
  return make(Op::doc.name, {like}, erase(op::DrawAttrs{shape, a, b, true, 0}), at, [](const Body& f) {
    auto attrs = unerase<op::DrawAttrs>(Attrs(f.attrs.begin(), f.attrs.end()));
    attrs.site = f.build.site();
    return apply<Op>(attrs, {f[0]});
  });
}
template <class Op>
Expr alone(Graph& g, Shape shape, float a, float b, Where at) {
  return make(
      Op::doc.name, {}, erase(op::DrawAttrs{shape, a, b, true, 0}), at,
      [](const Body& f) {
        const Term nothing{&f.build, f.build.make(info<op::Full>(), erase(op::FullAttrs{{}, 0}), {})};
        return apply<Op>(unerase<op::DrawAttrs>(Attrs(f.attrs.begin(), f.attrs.end())), {nothing});
      },
      nullptr, &g);
}

}  // namespace

#define ESPALIER_DEFINE(name, Op)                                                                            \
  Expr name(Graph& g, Shape shape, float a, float b, Where at) { return alone<op::Op>(g, shape, a, b, at); } \
  Expr name(Expr like, Shape shape, float a, float b, Where at) { return beside<op::Op>(like, shape, a, b, at); }
ESPALIER_DEFINE(random_normal, RandomNormal)
ESPALIER_DEFINE(random_uniform, RandomUniform)
ESPALIER_DEFINE(random_bernoulli, RandomBernoulli)
ESPALIER_DEFINE(random_gumbel, RandomGumbel)
#undef ESPALIER_DEFINE

}  // namespace espalier
