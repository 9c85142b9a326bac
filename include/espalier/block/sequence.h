// Sequences: map, fold, rnn, reduce, pools, zip, n-grams, and parts of them. A sequence is any container of the
// example, or a std::vector of results.
#pragma once
#include <array>
#include <ranges>
#include <string>
#include <vector>

#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

using espalier::zeros;

template <class C>
concept Sequence = std::ranges::forward_range<const C> && std::ranges::sized_range<const C>;
// How an element is given: a reference into the container, or a value where it makes its elements up.
template <class C>
using ElementOf = std::conditional_t<std::is_reference_v<std::ranges::range_reference_t<const C>>,
                                     std::ranges::range_reference_t<const C>,
                                     std::remove_cv_t<std::ranges::range_reference_t<const C>>>;
template <class C>
using Value = std::ranges::range_value_t<const C>;

[[noreturn]] ESPALIER_API void refuse_empty(std::string_view who, Where at);
// Where a Python-like index lies, or DataError.
ESPALIER_API size_t position_in(size_t size, int index, Where at);
[[noreturn]] ESPALIER_API void refuse_ngram(size_t n, size_t size, Where at);
ESPALIER_API size_t common_length(std::string_view who, std::span<const size_t> sizes, Where at);
inline std::string step(size_t i) { return "[" + std::to_string(i) + "]"; }

// ---- over all elements
template <class F>
struct Map : Part {
  F element;
  explicit Map(const F& f) : element(f) {}

  template <Sequence C>
    requires Takes<F, ElementOf<C>>
  std::vector<Settled<After<F, ElementOf<C>>>> operator()(Graph& g, const C& items, Where at = {}) const {
    using E = ElementOf<C>;
    std::vector<Settled<After<F, E>>> results;
    results.reserve(std::ranges::size(items));
    try {
      for (auto&& item : items) results.push_back(apply<F, E>(element, g, at, static_cast<Passed<E>>(item)));
    } catch (Error& e) {
      e.within(step(results.size()));
      throw;
    }
    return results;
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    return known_after<F, ElementOf<std::remove_cvref_t<C>>>(element, given, at);
  }
};

// Where a fold begins: f(graph), or a value.
template <class I>
auto begin_with(const I& initial, Graph& g) {
  if constexpr (std::is_invocable_v<const I&, Graph&>)
    return initial(g);
  else
    return initial;
}
template <class I>
using Begun = decltype(begin_with(std::declval<const I&>(), std::declval<Graph&>()));

// The shapes of the first state; nothing where it has rows that are not there yet, as the first state of a module.
template <class I>
Shapes begun_shapes(const I& initial) {
  using S = Begun<I>;
  if constexpr (only_rows<S>) {
    Graph scratch = scratch_graph();
    const S state = begin_with(initial, scratch);
    bool whole = true;
    Rows<S>::each(state, [&](Expr x) { whole = whole && x; });
    if (whole) return shapes_of(state);
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
      e.within(step(i));
      throw;
    }
    return state;
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    using Both = std::tuple<Begun<I>, ElementOf<std::remove_cvref_t<C>>>;
    const Shapes begun = begun_shapes(initial);
    if constexpr (only_rows<Both>) {
      if (!begun || !given) return begun;
      Shapes both = begun;
      both->insert(both->end(), given->begin(), given->end());
      const Shapes after = block::detail::shapes_after<F, Both>(f, both, at);
      for (size_t i = 0; after && i < after->size(); ++i)
        if ((*after)[i] != (*begun)[i]) refuse_shape("fold", (*after)[i], (*begun)[i], at);
    }
    return begun;
  }
};

// What the next layer reads of a state: its h, or the whole row.
inline Expr read_state(Expr s) { return s; }
template <class S>
  requires requires(const S& s) {
    { s.h } -> std::convertible_to<Expr>;
  }
Expr read_state(const S& s) {
  return s.h;
}

template <class F, class I>
struct Rnn : Part {
  F f;
  I initial;
  Rnn(const F& f_, const I& i) : f(f_), initial(i) {}
  using State = Begun<I>;
  std::tuple<std::vector<Expr>, State> operator()(Graph& g, const std::vector<Expr>& xs) const {
    return (*this)(xs, begin_with(initial, g));
  }
  std::tuple<std::vector<Expr>, State> operator()(const std::vector<Expr>& xs, State state) const {
    std::vector<Expr> outputs;
    outputs.reserve(xs.size());
    for (Expr x : xs) {
      state = f(x, state);
      outputs.push_back(read_state(state));
    }
    return {std::move(outputs), std::move(state)};
  }
  // Two steps are tried: the first may be another cell.
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    if constexpr (only_rows<State> && std::same_as<std::remove_cvref_t<C>, std::vector<Expr>>) {
      if (!given) return std::nullopt;
      Graph scratch = scratch_graph();
      const std::vector<Expr> two(2, zeros(scratch, given->front(), at));
      const auto [outputs, last] = (*this)(scratch, two);
      Shapes shapes = std::vector<Shape>{outputs[0].shape()};
      for (const Shape& s : shapes_of(last)) shapes->push_back(s);
      return shapes;
    } else {
      return std::nullopt;
    }
  }
};

// Element k of a sequence goes into block k.
template <class In, class Out>
struct RecordOfBlocks : Part {
  std::vector<Block<In, Out>> blocks;
  explicit RecordOfBlocks(std::vector<Block<In, Out>> b) : blocks(std::move(b)) {}
  template <Sequence C>
    requires std::is_convertible_v<ElementOf<C>, const In&>
  std::vector<Settled<Out>> operator()(Graph& g, const C& items, Where at = {}) const {
    const std::array sizes{blocks.size(), static_cast<size_t>(std::ranges::size(items))};
    std::vector<Settled<Out>> results;
    results.reserve(common_length("record", sizes, at));
    try {
      for (auto&& item : items) results.push_back(blocks[results.size()](g, item));
    } catch (Error& e) {
      e.within(step(results.size()));
      throw;
    }
    return results;
  }
};

// ---- to one
template <class F, class None>
struct Reduce : Part {
  F f;
  None none;
  Reduce(const F& f_, const None& n) : f(f_), none(n) {}

  template <Sequence C>
    requires Takes<F, std::tuple<Value<C>, Value<C>>>
  Value<C> operator()(Graph& g, const C& items, Where at = {}) const {
    using T = Value<C>;
    using Both = std::tuple<T, T>;
    std::vector<T> level(std::ranges::begin(items), std::ranges::end(items));
    if (level.empty()) {
      if constexpr (std::is_invocable_r_v<T, const None&, Graph&>)
        return none(g);
      else
        refuse_empty("reduce", at);
    }
    while (level.size() > 1) {
      const size_t pairs = level.size() / 2;
      for (size_t i = 0; i < pairs; ++i)
        level[i] = apply<F, Both>(f, g, at, Both(std::move(level[2 * i]), std::move(level[2 * i + 1])));
      if (level.size() % 2 == 1) level[pairs] = std::move(level.back());
      level.resize(pairs + level.size() % 2);
    }
    return std::move(level[0]);
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    using T = Value<std::remove_cvref_t<C>>;
    if constexpr (only_rows<T>) {
      if (!given) return std::nullopt;
      Shapes twice = given;
      twice->insert(twice->end(), given->begin(), given->end());
      const Shapes after = block::detail::shapes_after<F, std::tuple<T, T>>(f, twice, at);
      for (size_t i = 0; after && i < after->size(); ++i)
        if ((*after)[i] != (*given)[i]) refuse_shape("reduce", (*after)[i], (*given)[i], at);
      return after;
    } else {
      return std::nullopt;
    }
  }
};

enum class Pooled { sum, mean, max, min };
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
    if (given && of_none && (*given)[0] != *of_none) refuse_shape("pool", (*given)[0], *of_none, at);
    return given;
  }
};

// ---- side by side
template <class T>
struct Broadcasted {
  T value;
};
struct Broadcast : Part {
  template <class X>
  Broadcasted<std::remove_cvref_t<X>> operator()(X&& x) const {
    return {std::forward<X>(x)};
  }
};

template <class T>
struct ZipElement {  // of a sequence: its k-th
  static_assert(Sequence<T>);
  using type = Value<T>;
  static size_t size(const T& x) { return std::ranges::size(x); }
  static auto begin(const T& x) { return std::ranges::begin(x); }
};
template <class T>
struct ZipElement<Broadcasted<T>> {  // the same for every place
  using type = T;
  struct Again {
    const T* value;
    const T& operator*() const { return *value; }
    Again& operator++() { return *this; }
  };
  static size_t size(const Broadcasted<T>&) { return ~size_t{0}; }
  static Again begin(const Broadcasted<T>& x) { return {&x.value}; }
};
template <class T>
inline constexpr bool zips = Sequence<T>;
template <class T>
inline constexpr bool zips<Broadcasted<T>> = true;

struct Zip : Part {
  template <class... T>
    requires(sizeof...(T) > 0 && (zips<std::remove_cvref_t<T>> && ...))
  auto operator()(const std::tuple<T...>& sequences, Where at = {}) const {
    return std::apply(
        [&](const auto&... s) {
          std::vector<std::tuple<typename ZipElement<std::remove_cvref_t<T>>::type...>> rows;
          const std::array<size_t, sizeof...(T)> sizes{ZipElement<std::remove_cvref_t<T>>::size(s)...};
          rows.reserve(common_length("zip", sizes, at));
          auto at_each = std::make_tuple(ZipElement<std::remove_cvref_t<T>>::begin(s)...);
          for (size_t n = rows.capacity(); rows.size() < n;)
            std::apply([&](auto&... it) { rows.emplace_back(*it...), (static_cast<void>(++it), ...); }, at_each);
          return rows;
        },
        sequences);
  }
};

template <size_t N>
struct NGrams : Part {
  template <Sequence C>
  auto operator()(const C& items, Where at = {}) const {
    return run(items, at, std::make_index_sequence<N>{});
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    if (!given) return std::nullopt;
    Shapes all(std::in_place);
    for (size_t i = 0; i < N; ++i) all->insert(all->end(), given->begin(), given->end());
    return all;
  }

 private:
  template <size_t, class T>
  using Same = T;
  template <class C, size_t... I>
  static auto run(const C& items, Where at, std::index_sequence<I...>) {
    const size_t size = std::ranges::size(items);
    if (size < N) refuse_ngram(N, size, at);
    std::vector<std::tuple<Same<I, Value<C>>...>> grams;
    grams.reserve(size - N + 1);
    auto first = std::ranges::begin(items);
    for (size_t k = 0; k + N <= size; ++k, ++first)
      grams.emplace_back(*std::ranges::next(first, static_cast<ptrdiff_t>(I))...);
    return grams;
  }
};

// ---- parts
template <Sequence C>
ElementOf<C> element_at(const C& items, int index, Where at) {
  return *std::ranges::next(std::ranges::begin(items),
                            static_cast<ptrdiff_t>(position_in(std::ranges::size(items), index, at)));
}
struct NthGiven : Part {
  template <Sequence C>
  ElementOf<C> operator()(const C& items, int index, Where at = {}) const {
    return element_at(items, index, at);
  }
};
struct Nth : Part {
  int index;
  explicit Nth(int i) : index(i) {}
  template <Sequence C>
  ElementOf<C> operator()(const C& items, Where at = {}) const {
    return element_at(items, index, at);
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    return given;
  }
  std::string path() const { return "[" + std::to_string(index) + "]"; }
};

template <class K>
struct GetItem : Part {
  K key;
  explicit GetItem(K k) : key(std::move(k)) {}
  template <class M>
    requires requires(const M& m, const K& k) { m.find(k)->second; }
  const typename M::mapped_type& operator()(const M& m, Where at = {}) const {
    const auto found = m.find(key);
    if (found == m.end()) {
      if constexpr (std::is_convertible_v<const K&, std::string>)
        throw DataError("no field " + std::string(key) + str(at));
      else
        throw DataError("no item " + std::to_string(key) + str(at));
    }
    return found->second;
  }
  std::string path() const {
    if constexpr (std::is_convertible_v<const K&, std::string>)
      return "." + std::string(key);
    else
      return "[" + std::to_string(key) + "]";
  }
};

struct Slice : Part {
  int first, last;
  Slice(int f, int l) : first(f), last(l) {}
  template <Sequence C>
  std::vector<Value<C>> operator()(const C& items) const {
    const auto n = static_cast<ptrdiff_t>(std::ranges::size(items));
    const ptrdiff_t b = std::clamp<ptrdiff_t>(first < 0 ? first + n : first, 0, n);
    const ptrdiff_t e = std::clamp<ptrdiff_t>(last < 0 ? last + n : last, b, n);
    const auto begin = std::ranges::next(std::ranges::begin(items), b);
    return {begin, std::ranges::next(begin, e - b)};
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    return given;
  }
};

struct Length : Part {
  template <Sequence C>
  int operator()(const C& items) const {
    return static_cast<int>(std::ranges::size(items));
  }
};

}  // namespace detail

// f of every element: a std::vector.
template <class F>
detail::Map<std::decay_t<F>> map(const F& f) {
  return detail::Map<std::decay_t<F>>(f);
}
// Block k of element k, for sequences of one length: a std::vector.
template <class In, class Out>
detail::RecordOfBlocks<In, Out> record(std::vector<Block<In, Out>> blocks) {
  return detail::RecordOfBlocks<In, Out>(std::move(blocks));
}
// state = f(state, element) over all elements, from left to right. `initial` is a state, or makes one: zeros({8}).
template <class F, class I>
detail::Fold<std::decay_t<F>, std::decay_t<I>> fold(const F& f, const I& initial) {
  return {f, initial};
}
// A recurrent module or cell over rows, state = f(x, state): the outputs of all steps, and the last state. It begins
// with the module's own first state, with `initial`, or with the state that is given beside the rows.
template <class F, class I = std::decay_t<std::invoke_result_t<const F&, Expr>>>
detail::Rnn<F, I> rnn(const F& f, const I& initial = {}) {
  return {f, initial};
}
// f(a, b) over pairs, pairs of results …: a balanced tree, log2(n) deep. Of nothing it is `none(graph)`, else a
// DataError.
template <class F, class None = Nothing>
detail::Reduce<std::decay_t<F>, std::decay_t<None>> reduce(const F& f, const None& none = {}) {
  return {f, none};
}
// Of a sequence of rows, element by element, in one call. Of no rows: zeros of the given shape, else a DataError.
inline detail::Pool sum() { return detail::Pool(detail::Pooled::sum); }
inline detail::Pool sum(Shape of_none) { return detail::Pool(detail::Pooled::sum, of_none); }
inline detail::Pool mean() { return detail::Pool(detail::Pooled::mean); }
inline detail::Pool mean(Shape of_none) { return detail::Pool(detail::Pooled::mean, of_none); }
inline detail::Pool max() { return detail::Pool(detail::Pooled::max); }
inline detail::Pool max(Shape of_none) { return detail::Pool(detail::Pooled::max, of_none); }
inline detail::Pool min() { return detail::Pool(detail::Pooled::min); }
inline detail::Pool min(Shape of_none) { return detail::Pool(detail::Pooled::min, of_none); }
// A tuple of sequences of one length: a sequence of tuples. What was broadcast() stands beside every element.
inline detail::Zip zip() { return {}; }
inline detail::Broadcast broadcast() { return {}; }
// f of the elements of several sequences at once.
template <class F>
auto zip_with(const F& f) {
  return zip() >> map(f);
}
// Every N elements that follow each other, as tuples; a shorter sequence is a DataError.
template <size_t N>
detail::NGrams<N> ngrams() {
  return {};
}
// One element; a negative index counts from the end.
inline detail::Nth nth(int index) { return detail::Nth(index); }
inline detail::NthGiven nth() { return {}; }  // of a sequence and an index
// What a map holds under a key.
template <class K>
detail::GetItem<K> get_item(K key) {
  return detail::GetItem<K>(std::move(key));
}
inline detail::GetItem<std::string> get_item(const char* key) { return detail::GetItem<std::string>(key); }
// Elements from first up to last; negative ones count from the end, and what lies outside is not there.
inline detail::Slice slice(int first, int last) { return {first, last}; }
inline detail::Length length() { return {}; }

}  // namespace espalier::block
