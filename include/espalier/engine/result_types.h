// The types a result may have, and where they hold Exprs, as compile-time functions of the type. A result is an Expr,
// or a sequence, map, optional, variant, pair, tuple, array or plain struct of results, nested to any depth. A value of
// any type without Exprs is a host value.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <espalier/base/fields.h>
#include <espalier/expr/expr.h>

namespace espalier::detail {

enum class Form {
  expr,
  sequence,  // vector, deque, list
  map,       // values are results, keys are host values
  optional,
  variant,
  fixed,   // pair, tuple, array
  fields,  // a plain struct of at most eight fields
  closed,  // a struct with a base or more than eight fields: its fields cannot be listed
  apart,   // a pointer, or a container not listed here
  host,
};

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
consteval Form form_of() {
  if constexpr (std::same_as<T, Expr>) {
    return Form::expr;
  } else if constexpr (IsOptional<T>::value) {
    return Form::optional;
  } else if constexpr (IsVariant<T>::value) {
    return Form::variant;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return Form::fixed;
  } else if constexpr (requires { typename T::mapped_type; }) {
    return Form::map;
  } else if constexpr (requires(T& t) { t.emplace_back(), t.begin(); }) {
    return Form::sequence;
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
    const bool can_be_tied = !has_base<T> && field_count<T> <= 8 && (field_count<T> > 0 || std::is_empty_v<T>);
    return can_be_tied ? Form::fields : Form::closed;
  } else if constexpr (std::is_pointer_v<T> || std::ranges::range<T> || requires { typename T::element_type; }) {
    return Form::apart;
  } else {
    return Form::host;
  }
}
template <class T>
inline constexpr Form form = form_of<std::remove_const_t<T>>();

// ---- the types that a result is made of

template <class... T>
struct Types {};
template <class T>
struct ListOf;
template <template <class...> class C, class... T>
struct ListOf<C<T...>> {
  using type = Types<std::remove_cvref_t<T>...>;
};
template <class T, size_t... I>
Types<std::tuple_element_t<I, T>...> elements_of(std::index_sequence<I...>);

template <class T>
constexpr auto parts_of_result() {
  if constexpr (form<T> == Form::optional || form<T> == Form::variant) {
    return typename ListOf<T>::type{};
  } else if constexpr (form<T> == Form::fixed) {
    return decltype(elements_of<T>(std::make_index_sequence<std::tuple_size_v<T>>{})){};
  } else if constexpr (form<T> == Form::map) {
    return Types<typename T::mapped_type>{};
  } else if constexpr (form<T> == Form::fields) {
    return typename ListOf<decltype(fields(std::declval<T&>()))>::type{};
  } else if constexpr (std::is_pointer_v<T>) {
    return Types<std::remove_pointer_t<T>>{};
  } else if constexpr (std::ranges::range<T>) {
    return Types<std::ranges::range_value_t<T>>{};
  } else if constexpr (form<T> == Form::apart) {
    return Types<typename T::element_type>{};
  } else {
    return Types<>{};
  }
}

// ---- a search of these types; the result is a set of bits

enum Found : unsigned { exprs = 1, closed = 2, apart = 4 };

template <class T, class... Outer>
consteval unsigned look_into();
template <class Of, class... Outer, class... Part>
consteval unsigned look_into_parts(Types<Part...>) {
  return (look_into<std::remove_const_t<Part>, Of, Outer...>() | ... | 0u);
}
// Outer: the types that contain this T, innermost first.
template <class T, class... Outer>
consteval unsigned look_into() {
  if constexpr (!requires { sizeof(T); }) {
    return 0;
  } else if constexpr ((std::same_as<T, Outer> || ...)) {
    return 0;  // a recursive type: its other parts decide
  } else if constexpr (form<T> == Form::expr) {
    return Found::exprs;
  } else if constexpr (form<T> == Form::closed) {
    return Found::closed;
  } else if constexpr (form<T> == Form::apart) {
    const unsigned there = look_into_parts<T, Outer...>(parts_of_result<T>());
    return (there & Found::exprs) != 0 ? there | Found::apart : 0;
  } else {
    return look_into_parts<T, Outer...>(parts_of_result<T>());
  }
}
template <class T>
inline constexpr unsigned found_in = look_into<std::remove_cvref_t<T>>();
template <class T>
inline constexpr bool holds_exprs = (found_in<T> & Found::exprs) != 0;

// Whether a type that holds Exprs is recursive.
template <class T, class... Outer>
consteval bool is_nested() {
  if constexpr (!holds_exprs<T>)
    return false;
  else if constexpr ((std::same_as<T, Outer> || ...))
    return true;
  else
    return []<class... Part>(Types<Part...>) {
      return (is_nested<std::remove_const_t<Part>, T, Outer...>() || ...);
    }(parts_of_result<T>());
}

// Fails to compile, with the reason, if the Exprs of T cannot be found.
template <class T>
consteval bool can_be_searched() {
  static_assert(
      (found_in<T> & Found::closed) == 0,
      "a result has a struct that inherits or has more than eight fields, which cannot be searched for Exprs; "
      "return a smaller struct, a tuple, or, if no Expr is in it, a pointer to it or a class with a constructor");
  static_assert((found_in<T> & Found::apart) == 0,
                "a result has Exprs behind a pointer or in an unknown container; return Exprs in a vector, "
                "deque, list, map, optional, variant, pair, tuple, array or plain struct");
  return (found_in<T> & (Found::closed | Found::apart)) == 0;
}

}  // namespace espalier::detail
