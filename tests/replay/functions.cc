#include "replay/functions.h"

namespace espalier::replay {
namespace {

template <class T>
using Opt = std::optional<T>;

Rows rows_of(Expr x) { return {x}; }
Rows rows_of(nn::State s) { return {s.h, s.c}; }
Rows rows_of(Rows rows) { return rows; }
template <size_t n>
Rows rows_of(const std::array<Expr, n>& rows) {
  return {rows.begin(), rows.end()};
}

template <class F, class R, class... A>
Function function_of(F f, R (F::*)(A...) const) {
  return [f](Arguments& from) {
    std::tuple<A...> given{from.take<A>()...};  // braces: from left to right
    if (!from.finished()) throw DataError("replay: too many arguments");
    return rows_of(std::apply(f, given));
  };
}

// Calls f with the arguments that are given.
template <class F, class A, class B>
Expr with_given(const Opt<A>& a, const Opt<B>& b, F f) {
  return b ? f(*a, *b) : a ? f(*a) : f();
}

class Table {
 public:
  template <class F>
  void operator()(const std::string& name, F f) {
    all[name] = function_of(f, &F::operator());
  }
  std::map<std::string, Function> all;
};

void add_leaves(Table& t) {
  t("input", [](Expr x) { return x; });
  t("zeros", [](Here h, Shape s) { return zeros(h.graph(), s); });
  t("ones", [](Here h, Shape s) { return ones(h.graph(), s); });
  t("full", [](Here h, Shape s, float value) { return full(h.graph(), s, value); });
  t("one_hot", [](Here h, Index i, int n) { return h.in_cell() ? one_hot(n, i) : one_hot(h.graph(), n, i); });
  t("lookup.words", [](Here h, Index i) {
    const Lookup& table = h.place->model.words;
    return h.in_cell() ? lookup(table, i) : lookup(h.graph(), table, i);
  });
  t("lookup.wide", [](Here h, Index i) {
    const Lookup& table = h.place->model.wide;
    return h.in_cell() ? lookup(table, i) : lookup(h.graph(), table, i);
  });
  t("random_normal", [](Here h, Shape s, Opt<float> mean, Opt<float> sd) {
    return with_given(mean, sd, [&](auto... given) { return random_normal(h.graph(), s, given...); });
  });
  t("random_uniform", [](Here h, Shape s, Opt<float> lo, Opt<float> hi) {
    return with_given(lo, hi, [&](auto... given) { return random_uniform(h.graph(), s, given...); });
  });
  t("random_bernoulli", [](Here h, Shape s, Opt<float> p, Opt<float> value) {
    return with_given(p, value, [&](auto... given) { return random_bernoulli(h.graph(), s, given...); });
  });
  t("random_gumbel", [](Here h, Shape s, Opt<float> place, Opt<float> scale) {
    return with_given(place, scale, [&](auto... given) { return random_gumbel(h.graph(), s, given...); });
  });
}

void add_elementwise(Table& t) {
#define ESPALIER_REPLAY(name, Op) t(#name, [](Expr x) { return espalier::name(x); });
  ESPALIER_UNARY_OPS(ESPALIER_REPLAY)
#undef ESPALIER_REPLAY
#define ESPALIER_REPLAY(name, Op, type, attribute, otherwise) \
  t(#name, [](Expr x, Opt<type> given) { return given ? espalier::name(x, *given) : espalier::name(x); });
  ESPALIER_UNARY_OPS_1(ESPALIER_REPLAY)
#undef ESPALIER_REPLAY
  t("operator.add", [](Operand a, Operand b) { return a + b; });
  t("operator.sub", [](Operand a, Operand b) { return a - b; });
  t("operator.mul", [](Operand a, Operand b) { return a * b; });
  t("operator.truediv", [](Operand a, Operand b) { return a / b; });
  t("operator.neg", [](Expr a) { return -a; });
  t("operator.abs", [](Expr a) { return abs(a); });
  t("operator.pow", [](Operand a, Operand b) { return pow(a, b); });
  t("operator.matmul", [](Operand a, Operand b) { return matmul(a, b); });
  t("operator.getitem", [](Expr x, int begin, int end) { return slice(x, begin, end); });
  t("pow", [](Operand a, Operand b) { return pow(a, b); });
  t("clamp", [](Expr x, float lo, float hi) { return clamp(x, lo, hi); });
  t("where", [](Operand c, Operand a, Operand b) { return where(c, a, b); });
}

void add_reductions(Table& t) {
  t("max", [](Operand a, Operand b) { return max(a, b); });
  t("min", [](Operand a, Operand b) { return min(a, b); });
#define ESPALIER_REPLAY(name) t(#name, [](Expr x) { return name(x); });
  ESPALIER_REPLAY(sum_rows)
  ESPALIER_REPLAY(mean_rows)
  ESPALIER_REPLAY(max_rows)
  ESPALIER_REPLAY(min_rows)
  ESPALIER_REPLAY(logsumexp_rows)
  ESPALIER_REPLAY(softmax_rows)
  ESPALIER_REPLAY(sum_elements)
  ESPALIER_REPLAY(mean_elements)
  ESPALIER_REPLAY(var_elements)
  ESPALIER_REPLAY(std_elements)
  ESPALIER_REPLAY(squared_norm)
  ESPALIER_REPLAY(l2_norm)
  ESPALIER_REPLAY(inverse)
  ESPALIER_REPLAY(logdet)
  ESPALIER_REPLAY(transpose)
#undef ESPALIER_REPLAY
#define ESPALIER_REPLAY(name) t(#name ".list", [](Rows rows) { return name(rows); });
  ESPALIER_REPLAY(max)
  ESPALIER_REPLAY(min)
#undef ESPALIER_REPLAY
  t("sum", [](Rows rows) { return sum(rows); });
  t("mean", [](Rows rows) { return mean(rows); });
#define ESPALIER_REPLAY(name) t(#name, [](Expr x, int axis) { return name(x, axis); });
  ESPALIER_REPLAY(sum_axis)
  ESPALIER_REPLAY(mean_axis)
  ESPALIER_REPLAY(var_axis)
  ESPALIER_REPLAY(std_axis)
  ESPALIER_REPLAY(max_axis)
  ESPALIER_REPLAY(min_axis)
  ESPALIER_REPLAY(cumsum)
#undef ESPALIER_REPLAY
#define ESPALIER_REPLAY(name) t(#name, [](Expr x, Opt<int> axis) { return axis ? name(x, *axis) : name(x); });
  ESPALIER_REPLAY(softmax)
  ESPALIER_REPLAY(log_softmax)
  ESPALIER_REPLAY(logsumexp)
  ESPALIER_REPLAY(sparsemax)
#undef ESPALIER_REPLAY
  t("attention", [](Expr q, Expr k, Expr v) { return attention(q, k, v); });
  t("moment_elements", [](Expr x, int r) { return moment_elements(x, r); });
  t("moment_axis", [](Expr x, int r, int axis) { return moment_axis(x, r, axis); });
  t("argmax_one_hot", [](Expr x, Opt<int> axis, Opt<bool> straight) {
    return with_given(axis, straight, [&](auto... given) { return argmax_one_hot(x, given...); });
  });
  t("constrained_softmax", [](Expr x, Operand bounds) { return constrained_softmax(x, bounds); });
  t("masked_log_softmax", [](Expr x, Operand mask, Opt<int> axis) {
    return axis ? masked_log_softmax(x, mask, *axis) : masked_log_softmax(x, mask);
  });
}

void add_products(Table& t) {
  t("linear", [](Expr x, Operand w, Maybe b) { return linear(x, w, b); });
#define ESPALIER_REPLAY(name) t(#name, [](Operand a, Operand b) { return name(a, b); });
  ESPALIER_REPLAY(matmul)
  ESPALIER_REPLAY(dot)
  ESPALIER_REPLAY(outer)
  ESPALIER_REPLAY(trace_of_product)
  ESPALIER_REPLAY(add_columns)
  ESPALIER_REPLAY(weight_norm)
  ESPALIER_REPLAY(mse_loss)
  ESPALIER_REPLAY(squared_distance)
  ESPALIER_REPLAY(l1_loss)
  ESPALIER_REPLAY(l1_distance)
  ESPALIER_REPLAY(binary_cross_entropy)
  ESPALIER_REPLAY(binary_cross_entropy_with_logits)
  ESPALIER_REPLAY(poisson_loss)
  ESPALIER_REPLAY(kl_div)
#undef ESPALIER_REPLAY
#define ESPALIER_REPLAY(name) \
  t(#name, [](Operand a, Operand b, Opt<float> x) { return x ? name(a, b, *x) : name(a, b); });
  ESPALIER_REPLAY(huber_loss)
  ESPALIER_REPLAY(huber_distance)
  ESPALIER_REPLAY(pairwise_rank_loss)
#undef ESPALIER_REPLAY
  t("bilinear", [](Operand a, Operand b, Operand w) { return bilinear(a, b, w); });
  t("affine.1", [](Operand b, Operand w, Expr x) { return affine(b, {{w, x}}); });
  t("affine.2", [](Operand b, Operand w, Expr x, Operand w2, Expr x2) { return affine(b, {{w, x}, {w2, x2}}); });
  t("layer_norm",
    [](Expr x, Maybe w, Maybe b, Opt<float> eps) { return eps ? layer_norm(x, w, b, *eps) : layer_norm(x, w, b); });
  t("rms_norm", [](Expr x, Maybe w, Opt<float> eps) { return eps ? rms_norm(x, w, *eps) : rms_norm(x, w); });
  t("cross_entropy", [](Expr x, Index target) { return cross_entropy(x, target); });
  t("nll_loss", [](Expr x, Index target) { return nll_loss(x, target); });
  t("hinge",
    [](Expr x, Index target, Opt<float> margin) { return margin ? hinge(x, target, *margin) : hinge(x, target); });
  t("sparsemax_loss", [](Expr x, Operand target) { return sparsemax_loss(x, target); });
}

void add_shapes(Table& t) {
  t("broadcast", [](Expr x, int axis, int n) { return broadcast(x, axis, n); });
  const auto joined = [](Rows rows, Opt<int> axis) { return axis ? concat(rows, *axis) : concat(rows); };
  t("concat", joined);
  t("cat", joined);
  t("stack", [](Rows rows, Opt<int> axis) { return axis ? stack(rows, *axis) : stack(rows); });
  t("slice", [](Expr x, int begin, int end, Opt<int> axis) {
    return axis ? slice(x, begin, end, *axis) : slice(x, begin, end);
  });
  t("strided_slice", [](Expr x, int begin, int end, int step, Opt<int> axis) {
    return axis ? strided_slice(x, begin, end, step, *axis) : strided_slice(x, begin, end, step);
  });
  t("flip", [](Expr x, Opt<int> axis) { return axis ? flip(x, *axis) : flip(x); });
  t("pad", [](Expr x, int before, int after, Opt<int> axis) {
    return axis ? pad(x, before, after, *axis) : pad(x, before, after);
  });
  t("reshape", [](Expr x, Shape s) { return reshape(x, s); });
  t("permute", [](Expr x, Shape order) { return permute(x, order); });
  t("pick", [](Expr x, Index i, Opt<int> axis) { return axis ? pick(x, i, *axis) : pick(x, i); });
  t("select", [](Expr x, Indices i, Opt<int> axis) {
    return axis ? select(x, std::span<const Index>(i), *axis) : select(x, std::span<const Index>(i));
  });
  t("kmax_pooling", [](Expr x, int k, Opt<int> axis) { return axis ? kmax_pooling(x, k, *axis) : kmax_pooling(x, k); });
  t("split", [](Expr x, int parts, Opt<int> axis) -> Rows {
    const int along = axis.value_or(0);
    if (parts == 1) return rows_of(split<1>(x, along));
    return parts == 2 ? rows_of(split<2>(x, along)) : rows_of(split<3>(x, along));
  });
  t("conv1d", [](Expr x, Operand w, Maybe b, Opt<int> stride, Opt<int> padding) {
    return with_given(stride, padding, [&](auto... given) { return conv1d(x, w, b, given...); });
  });
  t("conv2d", [](Expr x, Operand w, Maybe b, Opt<int> stride, Opt<int> padding) {
    return with_given(stride, padding, [&](auto... given) { return conv2d(x, w, b, given...); });
  });
  t("max_pool1d",
    [](Expr x, int k, Opt<int> s, Opt<int> p) { return p ? max_pool1d(x, k, s, *p) : max_pool1d(x, k, s); });
  t("avg_pool1d",
    [](Expr x, int k, Opt<int> s, Opt<int> p) { return p ? avg_pool1d(x, k, s, *p) : avg_pool1d(x, k, s); });
  t("max_pool2d", [](Expr x, int k, Opt<int> s) { return s ? max_pool2d(x, k, Size2d(*s)) : max_pool2d(x, k); });
  t("avg_pool2d", [](Expr x, int k, Opt<int> s) { return s ? avg_pool2d(x, k, Size2d(*s)) : avg_pool2d(x, k); });
}

void add_noise(Table& t) {
  t("dropout", [](Expr x, float p) { return dropout(x, p); });
  t("dropout_axis", [](Expr x, float p, int axis) { return dropout_axis(x, p, axis); });
  t("dropout_row", [](Expr x, float p) { return dropout_row(x, p); });
  t("dropout_block", [](Expr x, float p, int size) { return dropout_block(x, p, size); });
  t("gaussian_noise", [](Expr x, float sd) { return gaussian_noise(x, sd); });
}

void add_modules(Table& t) {
  t("module.linear", [](Here h, Expr x) { return h.place->model.linear(x); });
  t("module.lstm", [](Here h, Expr x, Opt<nn::State> s) { return h.place->model.lstm(x, s.value_or(nn::State())); });
  t("module.gru", [](Here h, Expr x, Opt<Expr> s) { return h.place->model.gru(x, s.value_or(Expr())); });
  t("module.leaf", [](Here h, Expr x) { return h.place->model.tree.leaf(x); });
  t("module.node", [](Here h, nn::State l, nn::State r) { return h.place->model.tree.node(l, r); });
  t("module.child_sum", [](Here h, Expr x, States kids) {
    const auto& node = h.place->model.child_sum.node;
    return h.in_cell() ? node(x, kids) : node(h.graph(), x, kids);
  });
}

}  // namespace

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = [] {
    Table t;
    add_leaves(t);
    add_elementwise(t);
    add_reductions(t);
    add_products(t);
    add_shapes(t);
    add_noise(t);
    add_modules(t);
    return std::move(t.all);
  }();
  return all;
}

}  // namespace espalier::replay
