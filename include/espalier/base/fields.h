// The fields of a plain struct, counted and tied by structured bindings: C++20 has no other way to walk them.
#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace espalier::detail {

struct AnyField {
  template <class T>
  constexpr operator T() const;
};
template <class T, class... A>
consteval size_t count_fields() {
  if constexpr (requires { T{A{}..., AnyField{}}; })
    return count_fields<T, A..., AnyField>();
  else
    return sizeof...(A);
}
template <class T>
inline constexpr size_t field_count = count_fields<std::remove_const_t<T>>();

// References to the fields, in order.
template <class T>
constexpr auto fields([[maybe_unused]] T& t) {
  constexpr size_t n = field_count<T>;
  static_assert(n <= 8, "a struct of more than eight fields cannot be walked");
  if constexpr (n == 0) {
    return std::tuple<>{};
  } else if constexpr (n == 1) {
    auto& [a] = t;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = t;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = t;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = t;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = t;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = t;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = t;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = t;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

}  // namespace espalier::detail
