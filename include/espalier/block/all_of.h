// Several blocks over one input (all_of), or one block per part of it (record); and functions of tuples (as, get).
#pragma once
#include <espalier/base/fields.h>
#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

template <class... F>
struct AllOf : Part {
  std::tuple<F...> blocks;
  explicit AllOf(const F&... f) : blocks(f...) {}

  template <class X>
    requires(Takes<F, const X&> && ...)
  std::tuple<After<F, const X&>...> operator()(Graph& g, const X& x, Where at = {}) const {
    return std::apply(
        [&](const F&... f) {
          return std::tuple<After<F, const X&>...>{apply<F, const X&>(f, g, at, x)...};  // braces: from left to right
        },
        blocks);
  }
  template <class X>
  Shapes shapes_after(const Shapes& given, Where at) const {
    Shapes all(std::in_place);
    std::apply([&](const F&... f) { (append_shapes(all, known_after<F, X>(f, given, at)), ...); }, blocks);
    return all;
  }
};

// The input type of the first Block; void if all are parts.
template <class... F>
struct InputOf {
  using type = void;
};
template <class F, class... Rest>
struct InputOf<F, Rest...> : InputOf<Rest...> {};
template <class I, class O, class... Rest>
struct InputOf<Block<I, O>, Rest...> {
  using type = I;
};
template <class F, class... Rest>
Where place_of(const F& f, const Rest&... rest) {
  if constexpr (AnyBlock<F>)
    return f.node().at;
  else if constexpr (sizeof...(Rest) > 0)
    return place_of(rest...);
  else
    return {};
}

// The elements of a tuple, or the fields of a plain struct, as a tuple of references.
template <class T>
auto elements(const T& x) {
  if constexpr (IsTuple<T>::value)
    return std::apply([](const auto&... e) { return std::tie(e...); }, x);
  else
    return espalier::detail::fields(x);
}
template <class T>
concept HasElements = IsTuple<T>::value || (std::is_aggregate_v<T> && !std::is_array_v<T>);

template <class T, class... F>
struct Apart {
  template <size_t... I>
  static consteval bool fit(std::index_sequence<I...>) {
    using E = decltype(elements(std::declval<const T&>()));
    if constexpr (std::tuple_size_v<E> == sizeof...(F))
      return (Takes<F, std::tuple_element_t<I, E>> && ...);
    else
      return false;
  }
};

template <class... F>
struct Record : Part {
  std::tuple<F...> blocks;
  explicit Record(const F&... f) : blocks(f...) {}

  template <HasElements X>
    requires(Apart<X, F...>::fit(std::index_sequence_for<F...>{}))
  auto operator()(Graph& g, const X& x, Where at = {}) const {
    return run(g, elements(x), at, std::index_sequence_for<F...>{});
  }
  template <class X>
  Shapes shapes_after(const Shapes& given, Where at) const {
    using E = decltype(elements(std::declval<const std::remove_cvref_t<X>&>()));
    constexpr bool counted = []<size_t... I>(std::index_sequence<I...>) {
      return (row_count<std::tuple_element_t<I, E>> + ... + 0) == row_count<X>;
    }(std::index_sequence_for<F...>{});  // if false, the struct is a host value
    Shapes all(std::in_place);
    size_t used = 0;
    auto one = [&]<size_t I>(std::integral_constant<size_t, I>) {
      using Given = std::tuple_element_t<I, E>;
      Shapes part;
      if (given && counted) {
        const auto first = given->begin() + static_cast<ptrdiff_t>(used);
        part.emplace(first, first + static_cast<ptrdiff_t>(row_count<Given>));
        used += row_count<Given>;
      }
      append_shapes(all, known_after<std::tuple_element_t<I, std::tuple<F...>>, Given>(std::get<I>(blocks), part, at));
    };
    [&]<size_t... I>(std::index_sequence<I...>) {
      (one(std::integral_constant<size_t, I>{}), ...);
    }(std::index_sequence_for<F...>{});
    return all;
  }

 private:
  template <class E, size_t... I>
  auto run(Graph& g, const E& parts, Where at, std::index_sequence<I...>) const {
    return std::tuple<After<F, std::tuple_element_t<I, E>>...>{one<I>(g, parts, at)...};
  }
  template <size_t I, class E>
  auto one(Graph& g, const E& parts, Where at) const
      -> After<std::tuple_element_t<I, std::tuple<F...>>, std::tuple_element_t<I, E>> {
    try {
      return apply<std::tuple_element_t<I, std::tuple<F...>>, std::tuple_element_t<I, E>>(std::get<I>(blocks), g, at,
                                                                                          std::get<I>(parts));
    } catch (Error& e) {
      e.within(step_to(I));
      throw;
    }
  }
};

template <class... T>
struct Converted<std::tuple<T...>> {
  using type = Record<AsBlock<T>...>;
  static type from(const std::tuple<T...>& blocks) {
    return std::apply([](const T&... b) { return type(as_block(b)...); }, blocks);
  }
};

template <class T>
struct As : Part {
  template <class... A>
    requires requires(A&&... a) { T{std::forward<A>(a)...}; }
  T operator()(A&&... a) const {
    return T{std::forward<A>(a)...};
  }
};

template <size_t I>
struct Get : Part {
  template <class X>
    requires(IsTuple<X>::value && requires(const X& x) { std::get<I>(x); })
  auto operator()(const X& x) const -> decltype(std::get<I>(x)) {
    return std::get<I>(x);
  }
  template <class X>
  Shapes shapes_after(const Shapes& given, Where) const {
    if (!given) return std::nullopt;
    return [&]<size_t... K>(std::index_sequence<K...>) {
      using T = std::remove_cvref_t<X>;
      const size_t begin = (row_count<std::tuple_element_t<K, T>> + ... + 0);
      const size_t n = row_count<std::tuple_element_t<I, T>>;
      return Shapes(std::in_place, given->begin() + static_cast<ptrdiff_t>(begin),
                    given->begin() + static_cast<ptrdiff_t>(begin + n));
    }(std::make_index_sequence<I>{});
  }
};

}  // namespace detail

// Applies all blocks to the same input, from left to right. Returns a tuple of their results.
template <class... F>
auto all_of(const F&... f) {
  using All = detail::AllOf<detail::AsBlock<F>...>;
  using In = typename detail::InputOf<std::decay_t<F>...>::type;
  if constexpr (std::is_void_v<In>)
    return All(detail::as_block(f)...);
  else
    return of<In>(All(detail::as_block(f)...), detail::place_of(f...));
}

// Applies block k to element k of a tuple, or to field k of a plain struct. Returns a tuple of their results.
template <class... F>
detail::Record<detail::AsBlock<F>...> record(const F&... f) {
  return detail::Record<detail::AsBlock<F>...>(detail::as_block(f)...);
}

// Converts a tuple to a struct: … >> as<State>()
template <class T>
detail::As<T> as() {
  return {};
}

// Element I of a tuple.
template <size_t I>
detail::Get<I> get() {
  return {};
}

}  // namespace espalier::block
