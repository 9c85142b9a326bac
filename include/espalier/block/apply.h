// Applies the right operand f of >> to the result x of the left operand: as f(graph, x, at), f(x, at), f(graph, x) or
// f(x), the first that compiles. If x is a tuple that f does not take as a whole, its elements become the arguments.
#pragma once
#include <concepts>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <espalier/base/settle.h>
#include <espalier/expr/graph.h>

namespace espalier::block {

using Nothing = std::monostate;  // the result of a block without a result
template <class In, class Out>
class Block;

namespace detail {

template <class T>
struct IsBlock : std::false_type {};
template <class I, class O>
struct IsBlock<Block<I, O>> : std::true_type {};
template <class T>
concept AnyBlock = IsBlock<T>::value;

// False for a type that converts to and from many others (a JSON value): it is passed only to functions that take
// exactly this type.
template <class T>
inline constexpr bool converts = true;
template <class From, class To>
concept ConvertsTo = std::same_as<From, To> || (converts<From> && converts<To>);

template <class F, class... A>
inline constexpr bool block_takes = false;
template <class I, class O, class A>
inline constexpr bool block_takes<Block<I, O>, A> =
    std::is_convertible_v<A, const I&> && ConvertsTo<std::remove_cvref_t<A>, I>;

// An argument that converts to an A and to no other type.
template <class A>
struct Only {
  operator A() const;
};
template <class A>
using Unconverted = std::conditional_t<converts<std::remove_cvref_t<A>>, A, Only<A>>;
// Generic and overloaded functions are not tried with an Only, because that would instantiate a generic lambda.
template <class F, class... A>
consteval bool invocable() {
  if constexpr (std::is_invocable_v<const F&, A...> && (std::is_pointer_v<F> || requires { &F::operator(); }))
    return std::is_invocable_v<const F&, Unconverted<A>...>;
  else
    return std::is_invocable_v<const F&, A...>;
}

// Whether F is a closure type, by its name: …::<lambda(int)> or (lambda at …), not inside the template brackets of
// another type. A generic lambda would accept a Graph or a Where as its argument, so it never gets a Where, and the
// Graph only if nothing else compiles.
template <class F>
consteval bool closure() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("F = ") + 4);
  const size_t name = text.find("lambda");
  if (name == std::string_view::npos || name == 0) return false;
  int depth = 0;
  for (const char c : text.substr(0, name - 1)) depth += (c == '<') - (c == '>');
  return depth == 0;
}

enum class Way { none, block, graph_at, plain_at, graph, plain };

template <class F, class... A>
consteval Way way_of() {
  if constexpr (AnyBlock<F>)
    return block_takes<F, A...> ? Way::block : Way::none;
  else if constexpr (closure<F>() && invocable<F, A...>())
    return Way::plain;
  else if constexpr (closure<F>())
    return invocable<F, Graph&, A...>() ? Way::graph : Way::none;
  else if constexpr (invocable<F, Graph&, A..., Where>())
    return Way::graph_at;
  else if constexpr (invocable<F, A..., Where>())
    return Way::plain_at;
  else if constexpr (invocable<F, Graph&, A...>())
    return Way::graph;
  else if constexpr (invocable<F, A...>())
    return Way::plain;
  else
    return Way::none;
}

// The return type of f.
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

// Calls f. The return value is converted to Result in the same expression, while the temporaries passed to f still
// exist, including those created for its parameters; so f is called directly, not through std::invoke.
template <class Result, Way way, class F, class... A>
Result call(const F& f, Graph& g, Where at, A&&... a) {
  if constexpr (way == Way::block)
    return static_cast<Result>(f.run(g, std::forward<A>(a)...));
  else if constexpr (std::is_member_pointer_v<F>)
    return static_cast<Result>(std::invoke(f, std::forward<A>(a)...));
  else if constexpr (way == Way::graph_at)
    return static_cast<Result>(f(g, std::forward<A>(a)..., at));
  else if constexpr (way == Way::plain_at)
    return static_cast<Result>(f(std::forward<A>(a)..., at));
  else if constexpr (way == Way::graph)
    return static_cast<Result>(f(g, std::forward<A>(a)...));
  else
    return static_cast<Result>(f(std::forward<A>(a)...));
}

template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

// Passes A as one argument.
template <class F, class A>
struct Whole {
  static constexpr Way way = way_of<F, A>();
  using Raw = Returned<way, F, A>;
  template <class Result>
  static Result run(const F& f, Graph& g, Where at, A&& a) {
    return call<Result, way>(f, g, at, std::forward<A>(a));
  }
};
// The type of element I of a tuple passed as A.
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
// Passes the elements of a tuple A as the arguments.
template <class F, class A>
using Spread = SpreadOver<F, A, std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<A>>>>;

// How F takes an A: as a whole if possible, else spread. For lambdas the other way round, because a generic lambda
// takes any tuple as a whole.
template <class F, class A>
struct Chosen {
  using type = Whole<F, A>;
};
template <class F, class A>
  requires(IsTuple<std::remove_cvref_t<A>>::value && closure<F>())
struct Chosen<F, A> {
  using type = typename std::conditional_t<Spread<F, A>::way != Way::none, std::type_identity<Spread<F, A>>,
                                           std::type_identity<Whole<F, A>>>::type;
};
template <class F, class A>
  requires(IsTuple<std::remove_cvref_t<A>>::value && !closure<F>() && Whole<F, A>::way == Way::none)
struct Chosen<F, A> {
  using type = Spread<F, A>;
};
// A is the result type of a block: const T& for a reference into the example, T for a value, which is passed on as T&&.
template <class A>
using Passed = std::conditional_t<std::is_reference_v<A>, A, A&&>;
template <class F, class A>
using Applied = typename Chosen<F, Passed<A>>::type;

// Whether F can be applied to an A.
template <class F, class A>
concept Takes = Applied<F, A>::way != Way::none;

using espalier::detail::Settled;

template <class T>
using VoidToNothing = std::conditional_t<std::is_void_v<T>, Nothing, T>;

// The type of the only argument of a function, not counting a Graph&; void if the function is overloaded, generic, or
// has more arguments.
template <class T>
struct Argument {
  using type = void;
};
template <class R, class P>
struct Argument<R (*)(P)> {
  using type = P;
};
template <class R, class P>
struct Argument<R (*)(Graph&, P)> {
  using type = P;
};
template <class C, class R, class P>
struct Argument<R (C::*)(P) const> {
  using type = P;
};
template <class C, class R, class P>
struct Argument<R (C::*)(Graph&, P) const> {
  using type = P;
};
template <class F>
struct ArgumentOf : Argument<F> {};
template <class F>
  requires requires { &F::operator(); }
struct ArgumentOf<F> : Argument<decltype(&F::operator())> {};
template <class I, class O>
struct ArgumentOf<Block<I, O>> {
  using type = const I&;
};

// Whether f receives the object that A refers to, not a temporary converted to the argument type of f.
template <class F, class A>
consteval bool in_place() {
  using P = typename ArgumentOf<F>::type;
  if constexpr (!std::is_lvalue_reference_v<A>)
    return false;
  else if constexpr (std::is_void_v<P>)
    return true;
  else
    return std::is_lvalue_reference_v<P> &&
           std::is_convertible_v<std::remove_reference_t<A>*, std::add_const_t<std::remove_reference_t<P>>*>;
}

// The result type of f applied to an A. A reference returned by f may point into its argument, so it stays a reference
// only if the argument is part of the example.
template <class F, class A>
struct AfterOf {};
template <class F, class A>
  requires Takes<F, A>
struct AfterOf<F, A> {
  using Raw = typename Applied<F, A>::Raw::type;
  using type = std::conditional_t<in_place<F, A>(), VoidToNothing<std::remove_const_t<Raw>>, Settled<Raw>>;
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

// Compile-time error if f cannot be applied to an A; the message contains both types.
template <class Given, class Function>
struct Fits {
  static_assert(Takes<Function, Given>,
                "block: the right side (Function) does not take the result of the left side (Given)");
};
template <class Given, class Function>
constexpr void must_fit() {
  static_cast<void>(sizeof(Fits<Given, Function>));
}

}  // namespace detail
}  // namespace espalier::block
