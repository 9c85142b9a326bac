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

namespace detail {

enum class Way { none, graph_at, plain_at, graph, plain };

template <class F, class... A>
consteval Way way_of() {
  if constexpr (std::is_invocable_v<const F&, Graph&, A..., Where>)
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

template <Way way, class F, class... A>
decltype(auto) call(const F& f, Graph& g, Where at, A&&... a) {
  if constexpr (way == Way::graph_at)
    return std::invoke(f, g, std::forward<A>(a)..., at);
  else if constexpr (way == Way::plain_at)
    return std::invoke(f, std::forward<A>(a)..., at);
  else if constexpr (way == Way::graph)
    return std::invoke(f, g, std::forward<A>(a)...);
  else
    return std::invoke(f, std::forward<A>(a)...);
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
  static decltype(auto) run(const F& f, Graph& g, Where at, A&& a) { return call<way>(f, g, at, std::forward<A>(a)); }
};
// How an element of a tuple that is given as A comes out of it.
template <size_t I, class A>
using Element = decltype(std::get<I>(std::declval<A>()));
template <class F, class A, class I>
struct SpreadOver;
template <class F, class A, size_t... I>
struct SpreadOver<F, A, std::index_sequence<I...>> {
  static constexpr Way way = way_of<F, Element<I, A>...>();
  static decltype(auto) run(const F& f, Graph& g, Where at, A&& a) {
    return call<way>(f, g, at, std::get<I>(std::forward<A>(a))...);
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
template <class F, class A>
  requires requires { typename F::In; }
inline constexpr bool in_place<F, A> =
    std::is_lvalue_reference_v<A> && std::is_convertible_v<std::remove_reference_t<A>*, const typename F::In*>;

// What f gives for an A. A reference that f returns points into what it was given: it stays one only where that lies in
// the example.
template <class F, class A>
struct AfterOf {
  using Raw = decltype(Applied<F, A>::run(std::declval<const F&>(), std::declval<Graph&>(), Where{},
                                          std::declval<Passed<A>>()));
  using type = std::conditional_t<in_place<F, A>, VoidToNothing<std::remove_const_t<Raw>>, Settled<Raw>>;
};
template <class F, class A>
using After = typename AfterOf<F, A>::type;

template <class F, class A>
After<F, A> apply(const F& f, Graph& g, Where at, Passed<A> a) {
  using Raw = typename AfterOf<F, A>::Raw;
  if constexpr (std::is_void_v<Raw>) {
    Applied<F, A>::run(f, g, at, static_cast<Passed<A>>(a));
    return {};
  } else {
    return After<F, A>(Applied<F, A>::run(f, g, at, static_cast<Passed<A>>(a)));
  }
}

// For messages: names both types where they do not fit.
template <class Given, class Function>
struct Fits {
  static constexpr bool value = Takes<Function, Given>;
  static_assert(value, "block: what comes from the left (Given) is not what the right side (Function) takes");
};

}  // namespace detail
}  // namespace espalier::block
