// Blocks over several sequences at once (zip), and over adjacent elements of one sequence (n-grams).
#pragma once
#include <array>
#include <vector>

#include <espalier/block/sequence.h>

namespace espalier::block {
namespace detail {

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
struct ZipElement {  // a sequence: its elements
  static_assert(Sequence<T>);
  using type = Value<T>;
  static size_t size(const T& x) { return std::ranges::size(x); }
  static auto begin(const T& x) { return std::ranges::begin(x); }
};
template <class T>
struct ZipElement<Broadcasted<T>> {  // the same value at every position
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
inline constexpr bool zips = false;
template <Sequence T>
inline constexpr bool zips<T> = std::copyable<Value<T>>;
template <class T>
inline constexpr bool zips<Broadcasted<T>> = std::copyable<T>;

struct Zip : Part {
  template <class... T>
    requires(sizeof...(T) > 0 && (zips<std::remove_cvref_t<T>> && ...))
  auto operator()(const std::tuple<T...>& sequences, Where at = {}) const {
    return std::apply(
        [&](const auto&... s) {
          std::vector<std::tuple<typename ZipElement<std::remove_cvref_t<T>>::type...>> rows;
          const std::array<size_t, sizeof...(T)> sizes{ZipElement<std::remove_cvref_t<T>>::size(s)...};
          const size_t length = common_length("zip", sizes, at);
          rows.reserve(length);
          auto at_each = std::make_tuple(ZipElement<std::remove_cvref_t<T>>::begin(s)...);
          while (rows.size() < length)
            std::apply([&](auto&... it) { rows.emplace_back(*it...), (static_cast<void>(++it), ...); }, at_each);
          return rows;
        },
        sequences);
  }
};

template <size_t N>
struct NGrams : Part {
  template <Sequence C>
    requires std::copyable<Value<C>>
  auto operator()(const C& items, Where at = {}) const {
    return run(items, at, std::make_index_sequence<N>{});
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    const Shapes one = element_shapes<C>(given);
    if (!one) return std::nullopt;
    Shapes all(std::in_place);
    for (size_t i = 0; i < N; ++i) all->insert(all->end(), one->begin(), one->end());
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

}  // namespace detail

// Turns a tuple of sequences of equal length into a sequence of tuples. A value passed through broadcast() is repeated
// for every element.
inline detail::Zip zip() { return {}; }
inline detail::Broadcast broadcast() { return {}; }
// Applies f to the elements of several sequences at the same position.
template <class F>
auto zip_with(const F& f) {
  return zip() >> map(f);
}
// All windows of N consecutive elements, as tuples. DataError if the sequence has fewer than N elements.
template <size_t N>
detail::NGrams<N> ngrams() {
  return {};
}

}  // namespace espalier::block
