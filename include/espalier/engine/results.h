// Visits the Exprs in a result, and makes the result that infer() returns: the same structure with a Tensor in place of
// every Expr, and a tuple in place of every struct that holds one.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include <espalier/engine/result_types.h>
#include <espalier/tensor/tensor.h>

namespace espalier::detail {

// Calls f(Expr&) for each Expr, in order.
template <class T, class F>
void each_expr(T& x, F&& f) {
  if constexpr (!holds_exprs<T>) {
    return;
  } else if constexpr (form<T> == Form::expr) {
    f(x);
  } else if constexpr (form<T> == Form::sequence) {
    for (auto& y : x) each_expr(y, f);
  } else if constexpr (form<T> == Form::map) {
    for (auto& [key, y] : x) each_expr(y, f);
  } else if constexpr (form<T> == Form::optional) {
    if (x) each_expr(*x, f);
  } else if constexpr (form<T> == Form::variant) {
    std::visit([&](auto& y) { each_expr(y, f); }, x);
  } else if constexpr (form<T> == Form::fixed) {
    std::apply([&](auto&... y) { (each_expr(y, f), ...); }, x);
  } else {
    std::apply([&](auto&... y) { (each_expr(y, f), ...); }, fields(x));
  }
}

template <class T>
std::vector<Expr> exprs_of(const std::vector<T>& results) {
  size_t n = 0;
  for (const T& r : results) each_expr(r, [&](const Expr&) { ++n; });
  std::vector<Expr> all;
  all.reserve(n);
  for (const T& r : results) each_expr(r, [&](const Expr& x) { all.push_back(x); });
  return all;
}

// ---- the type with Tensors in place of Exprs

template <class T>
constexpr auto values_type();
template <class T>
using Values = typename decltype(values_type<T>())::type;

template <template <class...> class C, class... T>
std::type_identity<C<Values<T>...>> with_values(Types<T...>);
// Containers: with the default allocator, and their own comparators and hashes.
template <template <class...> class C, class T, class Allocator>
std::type_identity<C<Values<T>>> rebound(const C<T, Allocator>*);
template <template <class...> class M, class K, class T, class Compare, class Allocator>
  requires requires { typename M<K, T, Compare, Allocator>::key_compare; }
std::type_identity<M<K, Values<T>, Compare>> rebound(const M<K, T, Compare, Allocator>*);
template <template <class...> class M, class K, class T, class Hash, class Equal, class Allocator>
  requires requires { typename M<K, T, Hash, Equal, Allocator>::hasher; }
std::type_identity<M<K, Values<T>, Hash, Equal>> rebound(const M<K, T, Hash, Equal, Allocator>*);
template <class T, size_t N>
std::type_identity<std::array<Values<T>, N>> rebound(const std::array<T, N>*);

template <class T>
constexpr auto values_type() {
  static_assert(!is_nested<T>(), "a result is a recursive struct of Exprs; return its nodes as a vector");
  if constexpr (!holds_exprs<T> || is_nested<T>()) {
    return std::type_identity<T>{};
  } else if constexpr (form<T> == Form::expr) {
    return std::type_identity<Tensor>{};
  } else if constexpr (form<T> == Form::optional) {
    return decltype(with_values<std::optional>(parts_of_result<T>())){};
  } else if constexpr (form<T> == Form::variant) {
    return decltype(with_values<std::variant>(parts_of_result<T>())){};
  } else if constexpr (requires { typename T::second_type; }) {
    return decltype(with_values<std::pair>(parts_of_result<T>())){};
  } else if constexpr (form<T> == Form::fields || (form<T> == Form::fixed && !requires { typename T::value_type; })) {
    return decltype(with_values<std::tuple>(parts_of_result<T>())){};
  } else {
    return decltype(rebound(static_cast<const T*>(nullptr))){};
  }
}

// ---- the values

// A part of an object of type X, as an rvalue unless X is an lvalue reference.
template <class X, class Part>
constexpr auto&& part_of(Part& part) {
  if constexpr (std::is_lvalue_reference_v<X>)
    return part;
  else
    return std::move(part);
}

// Takes a tensor from `next` for each Expr, in the order of each_expr; host values are copied, or moved from an rvalue.
template <class X>
Values<std::remove_cvref_t<X>> take_values(X&& x, Tensor*& next) {
  using T = std::remove_cvref_t<X>;
  using V = Values<T>;
  [[maybe_unused]] auto each = [&]<class Part>(Part& part) { return take_values(part_of<X>(part), next); };
  if constexpr (!holds_exprs<T> || is_nested<T>()) {
    static_assert(std::constructible_from<T, X>,
                  "a result holds a value that cannot be copied; move the batch: infer(std::move(batch))");
    return std::forward<X>(x);
  } else if constexpr (form<T> == Form::expr) {
    return std::move(*next++);
  } else if constexpr (form<T> == Form::sequence) {
    V all;
    if constexpr (requires { all.reserve(x.size()); }) all.reserve(x.size());
    for (auto& y : x) all.emplace_back(each(y));
    return all;
  } else if constexpr (form<T> == Form::map) {
    V all;
    for (auto& [key, y] : x) all.emplace(key, each(y));
    return all;
  } else if constexpr (form<T> == Form::optional) {
    return x ? V(each(*x)) : V();
  } else if constexpr (form<T> == Form::variant) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      std::optional<V> one;
      ((x.index() == I ? (void)one.emplace(std::in_place_index<I>, each(*std::get_if<I>(&x))) : void()), ...);
      return std::move(one).value();
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (form<T> == Form::fixed) {
    return std::apply([&](auto&... y) { return V{each(y)...}; }, x);
  } else {
    return std::apply([&](auto&... y) { return V{each(y)...}; }, fields(x));
  }
}

}  // namespace espalier::detail
