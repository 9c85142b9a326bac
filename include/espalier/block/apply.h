// How what stands right of >> is applied to what comes from the left: f(graph, x, at), f(x, at), f(graph, x) or f(x),
// the first that compiles; a tuple that f does not take whole is spread over its arguments.
#pragma once
#include <concepts>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <espalier/expr/graph.h>

namespace espalier::block {

using Nothing = std::monostate;  // what a block gives that gives nothing
template <class In, class Out>
class Block;

namespace detail {

template <class T>
struct IsBlock : std::false_type {};
template <class I, class O>
struct IsBlock<Block<I, O>> : std::true_type {};
template <class T>
concept AnyBlock = IsBlock<T>::value;

template <class F, class... A>
inline constexpr bool block_takes = false;
template <class I, class O, class A>
inline constexpr bool block_takes<Block<I, O>, A> = std::is_convertible_v<A, const I&>;

enum class Way { none, block, graph_at, plain_at, graph, plain };

template <class F, class... A>
consteval Way way_of() {
  if constexpr (AnyBlock<F>)
    return block_takes<F, A...> ? Way::block : Way::none;
  else if constexpr (std::is_invocable_v<const F&, Graph&, A..., Where>)
    return Way::graph_at;
  else if constexpr (std::is_invocable_v<const F&, A..., Where>)
    return Way::plain_at;
  else if constexpr (std::is_invocable_v<const F&, Graph&, A...>)
    return Way::graph;
  else if constexpr (std::is_invocable_v<const F&, A...>)
    return Way::plain;
  else
    return Way::none;
}

// What f itself returns.
template <Way way, class F, class... A>
struct Returned {};
template <class F, class... A>
struct Returned<Way::block, F, A...> {
  using type = typename F::Out;
};
template <class F, class... A>
struct Returned<Way::graph_at, F, A...> : std::invoke_result<const F&, Graph&, A..., Where> {};
template <class F, class... A>
struct Returned<Way::plain_at, F, A...> : std::invoke_result<const F&, A..., Where> {};
template <class F, class... A>
struct Returned<Way::graph, F, A...> : std::invoke_result<const F&, Graph&, A...> {};
template <class F, class... A>
struct Returned<Way::plain, F, A...> : std::invoke_result<const F&, A...> {};

// The call. What f returns becomes a Result in the same expression, while the temporaries that f was given still live.
template <class Result, Way way, class F, class... A>
Result call(const F& f, Graph& g, Where at, A&&... a) {
  if constexpr (way == Way::block)
    return static_cast<Result>(f.run(g, std::forward<A>(a)...));
  else if constexpr (way == Way::graph_at)
    return static_cast<Result>(std::invoke(f, g, std::forward<A>(a)..., at));
  else if constexpr (way == Way::plain_at)
    return static_cast<Result>(std::invoke(f, std::forward<A>(a)..., at));
  else if constexpr (way == Way::graph)
    return static_cast<Result>(std::invoke(f, g, std::forward<A>(a)...));
  else
    return static_cast<Result>(std::invoke(f, std::forward<A>(a)...));
}

template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <class F, class A>
struct Whole {
  static constexpr Way way = way_of<F, A>();
  using Raw = Returned<way, F, A>;
  template <class Result>
  static Result run(const F& f, Graph& g, Where at, A&& a) {
    return call<Result, way>(f, g, at, std::forward<A>(a));
  }
};
// How an element of a tuple that is given as A comes out of it.
template <size_t I, class A>
using Element = decltype(std::get<I>(std::declval<A>()));
template <class F, class A, class I>
struct SpreadOver;
template <class F, class A, size_t... I>
struct SpreadOver<F, A, std::index_sequence<I...>> {
  static constexpr Way way = way_of<F, Element<I, A>...>();
  using Raw = Returned<way, F, Element<I, A>...>;
  template <class Result>
  static Result run(const F& f, Graph& g, Where at, A&& a) {
    return call<Result, way>(f, g, at, std::get<I>(std::forward<A>(a))...);
  }
};
template <class F, class A>
using Spread = SpreadOver<F, A, std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<A>>>>;

// How F takes an A: whole if it can, else spread.
template <class F, class A>
struct Chosen {
  using type = Whole<F, A>;
};
template <class F, class A>
  requires(IsTuple<std::remove_cvref_t<A>>::value && Whole<F, A>::way == Way::none)
struct Chosen<F, A> {
  using type = Spread<F, A>;
};
// A is a type as a block gives it: const T& for a reference into the example, T for a value, which is passed on as T&&.
template <class A>
using Passed = std::conditional_t<std::is_reference_v<A>, A, A&&>;
template <class F, class A>
using Applied = typename Chosen<F, Passed<A>>::type;

// f takes what is given as an A.
template <class F, class A>
concept Takes = Applied<F, A>::way != Way::none;

// A value that outlives the temporary it was taken from: references become values, in tuples, too.
template <class T>
struct Settle {
  using type = std::decay_t<T>;
};
template <>
struct Settle<void> {
  using type = Nothing;
};
template <class... T>
struct Settle<std::tuple<T...>> {
  using type = std::tuple<typename Settle<T>::type...>;
};
template <class A, class B>
struct Settle<std::pair<A, B>> {
  using type = std::pair<typename Settle<A>::type, typename Settle<B>::type>;
};
template <class T>
using Settled = typename Settle<std::remove_cvref_t<T>>::type;

template <class T>
using VoidToNothing = std::conditional_t<std::is_void_v<T>, Nothing, T>;

// Whether what f is given is the very object that an A refers to. A block of another type is given a temporary.
template <class F, class A>
inline constexpr bool in_place = std::is_lvalue_reference_v<A>;
template <class I, class O, class A>
inline constexpr bool in_place<Block<I, O>, A> =
    std::is_lvalue_reference_v<A> && std::is_convertible_v<std::remove_reference_t<A>*, const I*>;

// What f gives for an A. A reference that f returns points into what it was given: it stays one only where that lies in
// the example.
template <class F, class A>
struct AfterOf {};
template <class F, class A>
  requires Takes<F, A>
struct AfterOf<F, A> {
  using Raw = typename Applied<F, A>::Raw::type;
  using type = std::conditional_t<in_place<F, A>, VoidToNothing<std::remove_const_t<Raw>>, Settled<Raw>>;
};
template <class F, class A>
using After = typename AfterOf<F, A>::type;

template <class F, class A>
After<F, A> apply(const F& f, Graph& g, Where at, Passed<A> a) {
  if constexpr (std::is_void_v<typename AfterOf<F, A>::Raw>) {
    Applied<F, A>::template run<void>(f, g, at, static_cast<Passed<A>>(a));
    return {};
  } else {
    return Applied<F, A>::template run<After<F, A>>(f, g, at, static_cast<Passed<A>>(a));
  }
}

// Does not compile where f does not take an A; the message names both types.
template <class Given, class Function>
struct Fits {
  static_assert(Takes<Function, Given>,
                "block: what comes from the left (Given) is not what the right side (Function) takes");
};
template <class Given, class Function>
constexpr void must_fit() {
  static_cast<void>(sizeof(Fits<Given, Function>));
}

}  // namespace detail
}  // namespace espalier::block
