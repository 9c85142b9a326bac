// Reduces a sequence to one result: from left to right, as a balanced tree, or in one call.
#pragma once
#include <optional>
#include <vector>

#include <espalier/block/sequence.h>

namespace espalier::block {
namespace detail {

using espalier::zeros;

// The initial state of a fold: f(graph), or a value.
template <class I>
auto begin_with(const I& initial, Graph& g) {
  if constexpr (std::is_invocable_v<const I&, Graph&>)
    return initial(g);
  else
    return initial;
}
template <class I>
using Begun = decltype(begin_with(std::declval<const I&>(), std::declval<Graph&>()));

// Whether all rows of a state are set. The initial state of a module is empty.
template <class S>
bool has_rows(const S& state) {
  size_t rows = 0;
  bool all = true;
  Rows<S>::each(state, [&](Expr x) {
    ++rows;
    all = all && x;
  });
  return rows > 0 && all;
}

// The shapes of the initial state; unknown if its rows are not set, as in the initial state of a module.
template <class I>
Shapes begun_shapes(const I& initial) {
  using S = Begun<I>;
  if constexpr (only_rows<S>) {
    Graph scratch = scratch_graph();
    const S state = begin_with(initial, scratch);
    if (has_rows(state)) return shapes_of(state);
  }
  return std::nullopt;
}

template <class F, class I>
struct Fold : Part {
  F f;
  I initial;
  Fold(const F& f_, const I& i) : f(f_), initial(i) {}

  template <Sequence C>
    requires Takes<F, std::tuple<Begun<I>, ElementOf<C>>>
  Begun<I> operator()(Graph& g, const C& items, Where at = {}) const {
    using Both = std::tuple<Begun<I>, ElementOf<C>>;
    Begun<I> state = begin_with(initial, g);
    size_t i = 0;
    try {
      for (auto&& item : items) {
        state = apply<F, Both>(f, g, at, Both(std::move(state), static_cast<Passed<ElementOf<C>>>(item)));
        ++i;
      }
    } catch (Error& e) {
      e.within(step_to(i));
      throw;
    }
    return state;
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    using Both = std::tuple<Begun<I>, ElementOf<std::remove_cvref_t<C>>>;
    const Shapes begun = begun_shapes(initial);
    if constexpr (only_rows<Both>) {
      const Shapes element = element_shapes<C>(given);
      if (!begun || !element) return begun;
      Shapes both = begun;
      append_shapes(both, element);
      check_same("fold", block::detail::shapes_after<F, Both>(f, both, at), *begun, at);
    }
    return begun;
  }
};

// The part of a state that the next layer reads: its h, or the row itself; for several layers, the h of the last one.
inline Expr read_state(Expr s) { return s; }
template <class S>
  requires requires(const S& s) {
    { s.h } -> std::convertible_to<Expr>;
  }
Expr read_state(const S& s) {
  return s.h;
}
template <class S>
Expr read_state(const std::vector<S>& layers) {
  return read_state(layers.back());
}

template <class F, class I>
struct Rnn : Part {
  F f;
  I initial;
  Rnn(const F& f_, const I& i) : f(f_), initial(i) {}
  using State = Begun<I>;
  std::tuple<std::vector<Expr>, State> operator()(Graph& g, const std::vector<Expr>& xs, Where at = {}) const {
    return (*this)(g, xs, begin_with(initial, g), at);
  }
  std::tuple<std::vector<Expr>, State> operator()(Graph& g, const std::vector<Expr>& xs, State state,
                                                  Where at = {}) const {
    using Both = std::tuple<Expr, State>;
    if (xs.empty() && !has_rows(state)) refuse_empty("rnn without an initial state", at);
    std::vector<Expr> outputs;
    outputs.reserve(xs.size());
    for (Expr x : xs) {
      state = apply<F, Both>(f, g, at, Both(x, std::move(state)));
      outputs.push_back(read_state(state));
    }
    return {std::move(outputs), std::move(state)};
  }
  // Tries two steps, because the first step may use another cell.
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    if constexpr (only_rows<State> && std::same_as<std::remove_cvref_t<C>, std::vector<Expr>>) {
      if (!given) return std::nullopt;
      Graph scratch = scratch_graph();
      const std::vector<Expr> two(2, zeros(scratch, given->front(), at));
      const auto [outputs, last] = (*this)(scratch, two, at);
      Shapes shapes = std::vector<Shape>{outputs[0].shape()};
      append_shapes(shapes, shapes_of(last));
      return shapes;
    } else {
      return std::nullopt;
    }
  }
};

template <class F, class None>
struct Reduce : Part {
  F f;
  None none;
  Reduce(const F& f_, const None& n) : f(f_), none(n) {}

  template <Sequence C>
    requires(Takes<F, std::tuple<Value<C>, Value<C>>> && std::copyable<Value<C>> &&
             (std::same_as<None, Nothing> || Fills<None, Value<C>>))
  Value<C> operator()(Graph& g, const C& items, Where at = {}) const {
    using T = Value<C>;
    using Both = std::tuple<T, T>;
    std::vector<T> level(std::ranges::begin(items), std::ranges::end(items));
    if (level.empty()) {
      if constexpr (Fills<None, T>)
        return filled<T>(none, g, at);
      else
        refuse_empty("reduce", at);
    }
    while (level.size() > 1) {
      const size_t pairs = level.size() / 2;
      for (size_t i = 0; i < pairs; ++i)
        level[i] = apply<F, Both>(f, g, at, Both(std::move(level[2 * i]), std::move(level[2 * i + 1])));
      if (level.size() % 2 == 1) level[pairs] = std::move(level.back());
      level.erase(level.begin() + static_cast<ptrdiff_t>(pairs + level.size() % 2), level.end());
    }
    return std::move(level[0]);
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    using T = Value<std::remove_cvref_t<C>>;
    if constexpr (only_rows<T>) {
      const Shapes one = element_shapes<C>(given);
      if (!one) return std::nullopt;
      Shapes twice = one;
      append_shapes(twice, one);
      const Shapes after = block::detail::shapes_after<F, std::tuple<T, T>>(f, twice, at);
      check_same("reduce", after, *one, at);
      if constexpr (!std::same_as<None, Nothing>) check_filled<T>(none, one, "reduce", at);
      return after;
    } else {
      return std::nullopt;
    }
  }
};

enum class Pooled { sum, mean, max, min };
ESPALIER_API std::string_view name_of(Pooled how);
ESPALIER_API Expr pool(Pooled how, Graph& g, std::span<const Expr> rows, const Shape* of_none, Where at);
struct Pool : Part {
  Pooled how;
  std::optional<Shape> of_none;
  explicit Pool(Pooled h, std::optional<Shape> none = {}) : how(h), of_none(none) {}
  Expr operator()(Graph& g, const std::vector<Expr>& rows, Where at = {}) const {
    return pool(how, g, rows, of_none ? &*of_none : nullptr, at);
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    if (given && of_none && (*given)[0] != *of_none) refuse_shape(name_of(how), (*given)[0], *of_none, at);
    return given;
  }
};

}  // namespace detail

// state = f(state, element) over all elements, from left to right. `initial` is a state, or a function of the graph
// that returns one: zeros({8}).
template <class F, class I>
detail::Fold<std::decay_t<F>, std::decay_t<I>> fold(const F& f, const I& initial) {
  return {f, initial};
}
// A recurrent module or cell over rows, state = f(x, state). Returns the outputs of all steps and the last state.
// Starts with the empty state of the module, with `initial`, or with a state passed in addition to the rows.
template <class F, class I = std::decay_t<std::invoke_result_t<const F&, Expr>>>
detail::Rnn<F, I> rnn(const F& f, const I& initial = {}) {
  return {f, initial};
}
// f(a, b) over pairs, then over pairs of results, and so on: a balanced tree of depth log2(n). The result of an empty
// sequence is zeros of shape `of_none`, or none(graph); DataError if neither is given.
template <class F>
detail::Reduce<std::decay_t<F>, Nothing> reduce(const F& f) {
  return {f, {}};
}
template <class F>
detail::Reduce<std::decay_t<F>, detail::ZerosOf> reduce(const F& f, Shape of_none) {
  return {f, {{of_none}}};
}
template <class F, class None>
  requires std::is_invocable_v<const None&, Graph&>
detail::Reduce<std::decay_t<F>, std::decay_t<None>> reduce(const F& f, const None& none) {
  return {f, none};
}
// Element-wise over a sequence of rows, in one call. An empty sequence gives zeros of shape `of_none`, or a DataError.
inline detail::Pool sum() { return detail::Pool(detail::Pooled::sum); }
inline detail::Pool sum(Shape of_none) { return detail::Pool(detail::Pooled::sum, of_none); }
inline detail::Pool mean() { return detail::Pool(detail::Pooled::mean); }
inline detail::Pool mean(Shape of_none) { return detail::Pool(detail::Pooled::mean, of_none); }
inline detail::Pool max() { return detail::Pool(detail::Pooled::max); }
inline detail::Pool max(Shape of_none) { return detail::Pool(detail::Pooled::max, of_none); }
inline detail::Pool min() { return detail::Pool(detail::Pooled::min); }
inline detail::Pool min(Shape of_none) { return detail::Pool(detail::Pooled::min, of_none); }

}  // namespace espalier::block
