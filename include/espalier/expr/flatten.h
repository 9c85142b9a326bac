// Visits the parts of a cell's arguments and results: Expr, Index, Number, Many<T>, or a struct / array / tuple of
// them.
#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <espalier/base/fields.h>
#include <espalier/expr/expr.h>

namespace espalier {

template <class T>
class Many;

namespace detail {

template <class T>
struct IsMany : std::false_type {};
template <class T>
struct IsMany<Many<T>> : std::true_type {};
template <class T>
concept Part = std::same_as<T, Expr> || std::same_as<T, Index> || std::same_as<T, Number> || IsMany<T>::value;
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };

template <class T>
constexpr auto parts_of(T& t) {
  static_assert(field_count<T> >= 1 && field_count<T> <= 8, "a struct passed to a cell must have 1 to 8 fields");
  return fields(t);
}

// Calls f on each part, in order.
template <class T, class F>
void each_part(T& t, F&& f) {
  using Plain = std::remove_const_t<T>;
  static_assert(!std::is_arithmetic_v<Plain>,
                "a cell takes Index for an integer and Number for a float that differ per call; int and float would be "
                "frozen into the cell");
  if constexpr (std::is_arithmetic_v<Plain>) {
    (void)t, (void)f;
  } else if constexpr (Part<Plain>) {
    f(t);
  } else if constexpr (TupleLike<Plain>) {
    std::apply([&](auto&... p) { (each_part(p, f), ...); }, t);
  } else if constexpr (std::is_aggregate_v<Plain>) {
    std::apply([&](auto&... p) { (each_part(p, f), ...); }, parts_of(t));
  } else {
    static_assert(std::is_aggregate_v<Plain>,
                  "a cell takes and returns Expr, Index, Number, Many<T>, or a struct / array / tuple of them");
  }
}

// The number of parts of each kind in a type, at compile time.
struct PartCounts {
  size_t rows = 0, indices = 0, numbers = 0, groups = 0;
  constexpr PartCounts operator+(const PartCounts& o) const {
    return {rows + o.rows, indices + o.indices, numbers + o.numbers, groups + o.groups};
  }
};
template <class T>
consteval PartCounts part_counts();
template <class Tuple, size_t... I>
consteval PartCounts element_counts(std::index_sequence<I...>) {
  return (part_counts<std::remove_cvref_t<std::tuple_element_t<I, Tuple>>>() + ... + PartCounts{});
}
template <class T>
consteval PartCounts part_counts() {
  if constexpr (std::same_as<T, Expr>) {
    return {.rows = 1};
  } else if constexpr (std::same_as<T, Index>) {
    return {.indices = 1};
  } else if constexpr (std::same_as<T, Number>) {
    return {.numbers = 1};
  } else if constexpr (IsMany<T>::value) {
    return {.groups = 1};
  } else if constexpr (TupleLike<T>) {
    return element_counts<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (std::is_aggregate_v<T>) {
    using Fields = decltype(parts_of(std::declval<T&>()));
    return element_counts<Fields>(std::make_index_sequence<std::tuple_size_v<Fields>>{});
  } else {
    return {};  // each_part reports the error
  }
}

template <class T>
size_t count_parts() {
  T t{};
  size_t n = 0;
  each_part(t, [&](auto&) { ++n; });
  return n;
}

}  // namespace detail
}  // namespace espalier
