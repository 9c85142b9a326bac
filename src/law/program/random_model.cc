#include "law/program/random_model.h"

#include <algorithm>

#include "base/random.h"
#include "law/any_op.h"
#include "law/elementwise.h"

namespace espalier::law {

RandomModel::RandomModel(uint64_t numbers)
    : params(numbers),
      numbers_(numbers),
      words_((params / "words").add_lookup("weight", 7, {6}, init::normal(0, 0.7f))),
      wide_((params / "wide").add_lookup("weight", 5, {4}, init::normal(0, 0.7f))),
      tied_((params / "tied").add_lookup("weight", 5, {6}, init::normal(0, 0.7f))),
      square_(Scope(params).add("square", {6, 6})),
      down_(Scope(params).add("down", {4, 6})),
      up_(Scope(params).add("up", {6, 4})),
      bias6_(Scope(params).add("bias6", {6}, init::normal(0, 0.5f))),
      bias4_(Scope(params).add("bias4", {4}, init::normal(0, 0.5f))),
      scalar_(Scope(params).add("scalar", {}, init::normal(0.5f, 0.2f))),
      frozen_(Scope(params).add("frozen", {6}, init::normal(0, 0.5f))),
      lstm_(params / "lstm", 6, 6),
      tree_(params / "tree", 6, 6),
      child_sum_(params / "child_sum", 6, 6),
      linear_(params / "linear", 6, 6),
      attend_(Scope(params).cell("attend", {{6}, {6}},
                                 [&](Expr q, Many<Key> k) {
                                   Expr weight = softmax_rows(dot(tanh(k[&Key::projected] + linear_(q)), bias6_));
                                   return sum_rows(k[&Key::value] * weight);
                                 })),
      mean_(
          Scope(params).cell("mean", {{6}}, [&](Many<Expr> rows) { return mean_rows(linear_(Expr(rows))) + scalar_; })),
      max_(Scope(params).cell("max", {{6}}, [&](Many<Expr> rows) { return max_rows(rows) * 0.5f; })),
      two_lists_(Scope(params).cell("two_lists", {{6}, {6}},
                                    [&](Many<Expr> a, Many<Expr> b) {
                                      return tanh(sum_rows(dropout(Expr(a), 0.3f)) * 0.5f +
                                                  mean_rows(Expr(b) * bias6_));
                                    })),
      labelled_(Scope(params).cell("labelled", {{6}, {}, {}},
                                   [&](Expr x, Index label, Number weight) -> Pair {
                                     Expr scores = linear(x, tied_);
                                     return {tanh(x * weight) + lookup(tied_, label),
                                             cross_entropy(scores, label) * weight + pick(scores, 2)};
                                   })),
      dropped_(Scope(params).cell("dropped", {{6}}, [&](Expr x) { return dropout(x, 0.5f) + dropout(tanh(x), 0.2f); })),
      identity_(Scope(params).cell("identity", {{6}}, [&](Expr x) { return x; })),
      nested_(Scope(params).cell("nested", {{6}},
                                 [&](Expr x) {
                                   nn::State s = lstm_(dropped_(x));
                                   return linear_(lstm_.next(x, s).h) + identity_(x) * 0.25f;
                                 })),
      trivial_(Scope(params).cell("trivial", {{6}},
                                  [&](Expr x) -> std::array<Expr, 3> {
                                    Expr y = x + frozen_;
                                    return {y, y, slice(y, 1, 5)};
                                  })),
      word_(
          Scope(params).cell("word", {{}}, [&](Index i) { return tanh(linear(lookup(words_, i), square_, bias6_)); })) {
  frozen_.freeze();
}

// Executes the lines of one example. Values are stored by shape; an operand is an earlier value or a new input.
class RandomModel::Interpreter {
 public:
  Interpreter(const RandomModel& w, Graph& g, uint64_t example) : w_(w), g_(g), key_(mix(w.numbers_, example)) {
    leaf_ = word_ = fresh({6});
    vectors_.push_back(leaf_);
  }

  void line(const Line& l) {
    line_ = l;
    constexpr std::array kinds{&Interpreter::leaves,     &Interpreter::elementwise, &Interpreter::binary,
                               &Interpreter::linear_ops, &Interpreter::axes,        &Interpreter::shapes,
                               &Interpreter::indexed,    &Interpreter::lists,       &Interpreter::recurrent,
                               &Interpreter::trees,      &Interpreter::cells,       &Interpreter::matrices,
                               &Interpreter::losses,     &Interpreter::shared,      &Interpreter::others};
    (this->*kinds[l.what % kinds.size()])();
  }

  Recorded finish() {
    Recorded r;
    r.leaf = leaf_;
    r.word = word_;
    for (auto* pool : {&vectors_, &shorts_, &matrices_, &scalars_})
      for (size_t i = pool->size() > 3 ? pool->size() - 3 : 0; i < pool->size(); ++i) r.outputs.push_back((*pool)[i]);
    for (Expr x : r.outputs) terms_.push_back(mean_elements(tanh(x)));
    r.loss = sum(terms_);
    r.outputs.push_back(r.loss);
    return r;
  }

 private:
  Expr fresh(Shape s) {
    std::vector<float> data(static_cast<size_t>(s.size()));
    for (float& x : data) x = 3 * uniform(key_, drawn_++) - 1.5f;
    return input(g_, data, s);
  }
  Expr pick_from(std::vector<Expr>& pool, unsigned k, Shape s) {
    if (pool.empty()) pool.push_back(fresh(s));
    return k >= 999 ? pool.back() : pool[k % pool.size()];
  }
  Expr v(unsigned k) { return pick_from(vectors_, k, {6}); }
  Expr s4(unsigned k) { return pick_from(shorts_, k, {4}); }
  Expr m(unsigned k) { return pick_from(matrices_, k, {3, 4}); }
  Expr s(unsigned k) { return pick_from(scalars_, k, {}); }
  void put(Expr x) {
    const Shape shape = x.shape();
    (shape == Shape{6}      ? vectors_
     : shape == Shape{4}    ? shorts_
     : shape == Shape{3, 4} ? matrices_
                            : scalars_)
        .push_back(x);
  }
  Expr any(unsigned k, unsigned kind) {
    switch (kind % 4) {
      case 0:
        return s4(k);
      case 1:
        return m(k);
      case 2:
        return s(k);
      default:
        return v(k);
    }
  }
  std::vector<Expr> some_vectors() {
    std::vector<Expr> rows;
    for (unsigned i = 0; i < line_.b % 5; ++i) rows.push_back(v(line_.c + i * 7));
    return rows;
  }

  void leaves() {
    const Index word(static_cast<int>(line_.a % 7)), small(static_cast<int>(line_.a % 5));
    switch (line_.b % 8) {
      case 0:
        return put(fresh({6}));
      case 1:
        return put(fresh({4}));
      case 2:
        return put(fresh({3, 4}));
      case 3:
        return put(fresh({}));
      case 4:
        return put(lookup(g_, w_.wide_, small));
      case 5:
        return put(lookup(g_, w_.tied_, small));
      case 6:
        return put(one_hot(g_, 6, static_cast<int>(line_.a % 6)));
      default:
        word_ = w_.word_(g_, word);
        return put(word_);
    }
  }
  // Any element-wise op; sometimes one of several operands is a scalar.
  void elementwise() {
    const unsigned kind = line_.b % 4, scalar = line_.b / 4 % 6;
    std::array<Expr, 3> x;
    for (unsigned i = 0; i < x.size(); ++i) x[i] = scalar == i ? s(line_.c) : any(i == 0 ? line_.a : line_.c / i, kind);
    put(any_elementwise(line_.c, x));
  }
  void binary() {
    const Expr x = any(line_.a, line_.b % 4), y = any(line_.c, line_.b % 4);
    switch (line_.b / 4 % 9) {
      case 0:
        return put(tanh(x + y));
      case 1:
        return put(x - y * 0.5f);
      case 2:
        return put(tanh(x * y));
      case 3:
        return put(x / (square(y) + 1.f));
      case 4:
        return put(tanh(x * s(line_.c)));
      case 5:
        return put(s(line_.c) - tanh(x));
      case 6:
        return put(v(line_.a) * 0.5f + w_.bias6_);
      case 7:
        return put(-(w_.scalar_ * tanh(x)));
      default:
        return put(1.f / (square(x) + 1.f));
    }
  }
  void linear_ops() {
    switch (line_.b % 6) {
      case 0:
        return put(tanh(linear(v(line_.a), w_.square_, w_.bias6_)));
      case 1:
        return put(linear(tanh(v(line_.a)), w_.down_, w_.bias4_));
      case 2:
        return put(linear(tanh(s4(line_.a)), w_.up_));
      case 3:
        return put(w_.linear_(tanh(v(line_.a))));
      case 4:
        return put(dot(tanh(v(line_.a)), w_.bias6_));
      default:
        return put(matmul(w_.square_, tanh(v(line_.a))));
    }
  }
  void axes() {
    const int axis = static_cast<int>(line_.b % 2);
    switch (line_.c % 7) {
      case 0:
        return put(softmax(m(line_.a), axis));
      case 1:
        return put(log_softmax(m(line_.a), axis) * 0.1f);
      case 2:
        return put(softmax(v(line_.a)));
      case 3:
        return put(tanh(sum_axis(m(line_.a), 0)));
      case 4:
        return put(mean_axis(m(line_.a), 0));
      case 5:
        return put(broadcast(s4(line_.a), 0, 3));
      default:
        return put(mean_elements(sum_axis(m(line_.a), 1)));
    }
  }
  void shapes() {
    switch (line_.c % 8) {
      case 0:
        return put(concat(s4(line_.a), slice(v(line_.b), 1, 3)));
      case 1:
        return put(slice(v(line_.a), static_cast<int>(line_.b % 3), static_cast<int>(line_.b % 3) + 4));
      case 2:
        return put(pad(s4(line_.a), static_cast<int>(line_.b % 3), static_cast<int>(2 - line_.b % 3)));
      case 3:
        return put(reshape(concat(v(line_.a), v(line_.b)), {3, 4}));
      case 4: {
        const std::array parts{slice(m(line_.a), 0, 1, 1), slice(m(line_.b), 1, 4, 1)};
        return put(concat(parts, 1));
      }
      case 5: {
        const std::array parts{slice(m(line_.a), 0, 1, 0), slice(m(line_.b), 1, 3, 0)};
        return put(concat(parts, 0));
      }
      case 6:
        return put(slice(reshape(transpose(m(line_.a)), {12}), 2, 8));
      default: {
        auto [a, b, c] = split<3>(v(line_.a));
        return put(concat(b, c, a));
      }
    }
  }
  void indexed() {
    const auto at = [&](int n) { return Index(static_cast<int>(line_.b) % n); };
    switch (line_.c % 4) {
      case 0:
        return put(pick(v(line_.a), at(6)));
      case 1:
        return put(pick(m(line_.a), at(3)));
      case 2:
        return put(cross_entropy(v(line_.a), at(6)));
      default: {
        const Pair p = w_.labelled_(v(line_.a), at(5), Number(uniform(key_, line_.b)));
        put(p.vector);
        return put(p.scalar);
      }
    }
  }
  void lists() {
    const std::vector<Expr> rows = some_vectors();
    std::vector<Key> keys;
    for (Expr x : rows) keys.push_back({x, v(line_.a)});
    switch (line_.a % 6) {
      case 0:
        return put(w_.mean_(g_, rows));
      case 1: {
        // Scales the rows differently: equal rows would be ties of max, a kink where gradients may differ.
        std::vector<Expr> apart;
        for (Expr x : rows) apart.push_back(x * (1 - 0.17f * static_cast<float>(apart.size())));
        return put(rows.empty() ? v(0) : w_.max_(g_, apart));
      }
      case 2:
        return put(w_.attend_(g_, v(line_.c), keys));
      case 3: {
        const Many<Key> shared = group<Key>(g_, keys);
        put(w_.attend_(g_, v(line_.c), shared));
        return put(w_.attend_(g_, tanh(v(line_.b)), shared));
      }
      case 4:
        return put(w_.two_lists_(g_, rows, some_vectors()));
      default:
        return put(rows.empty() ? v(0) : line_.c % 2 ? tanh(sum(rows)) : mean(rows));
    }
  }
  void recurrent() {
    nn::State state;
    for (unsigned i = 0; i < 1u + line_.b % 4u; ++i) state = w_.lstm_(v(line_.a + i), state);
    put(state.h);
    if (line_.c % 2) put(state.c);
  }
  void trees() {
    const nn::State l = w_.tree_.leaf(v(line_.a)), r = w_.tree_.leaf(v(line_.b));
    const nn::State n = w_.tree_.node(l, r);
    if (line_.c % 3 == 0) return put(n.h);
    if (line_.c % 3 == 1) return put(w_.tree_.node(n, l).h);
    const std::vector<nn::State> kids = line_.c % 2 ? std::vector{l, n, r} : std::vector<nn::State>{};
    put(w_.child_sum_.node(g_, v(line_.a), kids).h);
  }
  void cells() {
    const Expr x = tanh(v(line_.a));
    switch (line_.b % 5) {
      case 0:
        return put(w_.dropped_(x));
      case 1:
        return put(w_.identity_(x));
      case 2:
        return put(w_.nested_(x));
      case 3:
        return put(dropout(x, 0.4f));
      default:
        for (Expr y : w_.trivial_(x)) put(y);
    }
  }
  void matrices() {
    switch (line_.c % 3) {
      case 0:
        return put(mean_elements(matmul(m(line_.a), transpose(m(line_.b)))));
      case 1:
        return put(mean_elements(matmul(m(line_.a), tanh(s4(line_.b)))));
      default:
        return put(tanh(matmul(slice(v(line_.a), 0, 3), m(line_.b))));
    }
  }
  // Any op that is not element-wise, with its result converted to one of the shapes in use.
  void others() {
    const Expr y = tanh(any_op(g_, line_.c, [&](unsigned i) { return any(line_.a + 5 * i, line_.b + i); }));
    const Shape shape = y.shape();
    if (shape == Shape{6} || shape == Shape{4} || shape == Shape{3, 4} || shape == Shape{}) return put(y);
    const auto n = static_cast<int>(shape.size());
    put(n < 6 ? mean_elements(y) : slice(reshape(y, {n}), 0, 6));
  }
  void losses() {
    switch (line_.c % 3) {
      case 0:
        terms_.push_back(cross_entropy(s4(line_.a), static_cast<int>(line_.b % 4)));
        break;
      case 1:
        terms_.push_back(mse_loss(tanh(v(line_.a)), tanh(v(line_.b))));
        break;
      default:
        terms_.push_back(s(line_.a) * 0.1f);
    }
  }
  void shared() {
    switch (line_.c % 3) {
      case 0:
        return put(row(g_, w_.bias6_));
      case 1:
        return put(stop_gradient(v(line_.a)));
      default:
        return put(concat(w_.bias4_, pad(slice(v(line_.a), 0, 1), 1, 0)));
    }
  }

  const RandomModel& w_;
  Graph& g_;
  uint64_t key_, drawn_ = 1 << 20;
  Line line_;
  Expr leaf_, word_;
  std::vector<Expr> vectors_, shorts_, matrices_, scalars_, terms_;
};

Recorded RandomModel::record(Graph& g, const std::vector<Line>& lines, uint64_t example) const {
  Interpreter run(*this, g, example);
  for (const Line& l : lines) run.line(l);
  return run.finish();
}

}  // namespace espalier::law
