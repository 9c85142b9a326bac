// Classifies the result types of blocks. A row type is Expr, a struct of only Exprs, or an array, pair or tuple of row
// types; a sequence of rows is a std::vector of a row type. Everything else is a host value.
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <espalier/expr/expr.h>

namespace espalier::block::detail {

// A struct counts as rows if it can be initialised from Exprs and has no space for other fields. Its memory is then an
// array of Exprs.
struct RowField {
  operator Expr() const;
};
template <class T, class... A>
consteval size_t count_row_fields() {
  if constexpr (sizeof...(A) * sizeof(Expr) >= sizeof(T))
    return sizeof...(A);
  else if constexpr (requires { T{A{}..., RowField{}}; })
    return count_row_fields<T, A..., RowField>();
  else
    return 0;
}
template <class T>
concept RowStruct = std::is_aggregate_v<T> && std::is_trivially_copyable_v<T> && !std::is_union_v<T> &&
                    !std::is_array_v<T> && sizeof(T) % sizeof(Expr) == 0 && sizeof(T) <= 32 * sizeof(Expr) &&
                    count_row_fields<T>() * sizeof(Expr) == sizeof(T);

// Rows<T>::count: the number of Exprs in a T, or in an element of a sequence; 0 for a host value.
// Rows<T>::fixed: whether a T consists of exactly `count` Exprs. each(t, f) calls f(Expr) for every Expr; make(next)
// builds a T, taking each Expr from next().
template <class T>
struct Rows {
  static constexpr size_t count = 0;
  static constexpr bool fixed = false;
  template <class F>
  static void each(const T&, F&&) {}
};
template <>
struct Rows<Expr> {
  static constexpr size_t count = 1;
  static constexpr bool fixed = true;
  template <class F>
  static void each(Expr x, F&& f) {
    f(x);
  }
  template <class F>
  static Expr make(F&& next) {
    return next();
  }
};
template <RowStruct T>
struct Rows<T> {
  static constexpr size_t count = sizeof(T) / sizeof(Expr);
  static constexpr bool fixed = true;
  template <class F>
  static void each(const T& t, F&& f) {
    std::array<Expr, count> rows;
    std::memcpy(static_cast<void*>(rows.data()), &t, sizeof(T));
    for (const Expr& x : rows) f(x);
  }
  template <class F>
  static T make(F&& next) {
    std::array<Expr, count> rows;
    for (Expr& x : rows) x = next();
    T t;
    std::memcpy(static_cast<void*>(&t), rows.data(), sizeof(T));
    return t;
  }
};
template <class... T>
struct Rows<std::tuple<T...>> {
  static constexpr size_t count = (Rows<std::remove_cvref_t<T>>::count + ... + 0);
  static constexpr bool fixed = sizeof...(T) > 0 && (Rows<std::remove_cvref_t<T>>::fixed && ...);
  template <class F>
  static void each(const std::tuple<T...>& t, F&& f) {
    std::apply([&](const auto&... x) { (Rows<std::remove_cvref_t<decltype(x)>>::each(x, f), ...); }, t);
  }
  template <class F>
  static std::tuple<T...> make(F&& next) {
    return std::tuple<T...>{Rows<std::remove_cvref_t<T>>::make(next)...};  // braces guarantee the order of evaluation
  }
};
template <class A, class B>
struct Rows<std::pair<A, B>> {
  using Both = Rows<std::tuple<A, B>>;
  static constexpr size_t count = Both::count;
  static constexpr bool fixed = Both::fixed;
  template <class F>
  static void each(const std::pair<A, B>& t, F&& f) {
    Rows<A>::each(t.first, f);
    Rows<B>::each(t.second, f);
  }
  template <class F>
  static std::pair<A, B> make(F&& next) {
    return std::pair<A, B>{Rows<A>::make(next), Rows<B>::make(next)};
  }
};
template <class T>
struct Rows<std::vector<T>> {
  static constexpr size_t count = Rows<T>::count;
  static constexpr bool fixed = false;
  template <class F>
  static void each(const std::vector<T>& t, F&& f) {
    if constexpr (count > 0)
      for (const T& x : t) Rows<T>::each(x, f);
  }
};

template <class T>
inline constexpr size_t row_count = Rows<std::remove_cvref_t<T>>::count;
template <class T>
inline constexpr bool only_rows = Rows<std::remove_cvref_t<T>>::fixed;

}  // namespace espalier::block::detail
