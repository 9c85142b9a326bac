// Reflection of plain structs: counts and ties the fields with structured bindings, since C++20 has no other way.
#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace espalier::detail {

struct AnyField {
  template <class T>
  constexpr operator T() const;
};
template <size_t>
using AnyFieldAt = AnyField;

// Whether T can be initialised with N arguments {} (takes_braces) or N values convertible to any type (takes_anything).
template <class T, size_t N>
consteval bool takes_braces() {
  // clang-format off
  if constexpr (N == 1) return requires { T{{}}; };
  if constexpr (N == 2) return requires { T{{}, {}}; };
  if constexpr (N == 3) return requires { T{{}, {}, {}}; };
  if constexpr (N == 4) return requires { T{{}, {}, {}, {}}; };
  if constexpr (N == 5) return requires { T{{}, {}, {}, {}, {}}; };
  if constexpr (N == 6) return requires { T{{}, {}, {}, {}, {}, {}}; };
  if constexpr (N == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (N == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (N == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  // clang-format on
  return N == 0;
}
template <class T, size_t... I>
consteval bool takes_anything(std::index_sequence<I...>) {
  return requires { T{AnyFieldAt<I>{}...}; };
}

// Counting with {} counts every field once, but needs default values for all of them. An AnyField initialises only the
// first element of an array and is ambiguous for an optional. The result is 0 if neither works.
template <class T, size_t N = 9>
consteval size_t count_fields() {
  constexpr bool taken = [] {
    if constexpr (requires { T{}; })
      return takes_braces<T, N>();
    else
      return N == 0 || takes_anything<T>(std::make_index_sequence<N>{});
  }();
  if constexpr (taken)
    return N;
  else
    return count_fields<T, N - 1>();
}
// 9 means more than eight.
template <class T>
inline constexpr size_t field_count = count_fields<std::remove_const_t<T>>();

template <class T>
struct AnyBase {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  constexpr operator B() const;
};
struct Stranger {};
// Whether T has a base class, so its fields cannot be tied. A struct whose first field accepts any type is excluded.
template <class T>
inline constexpr bool has_base = requires { T{AnyBase<T>{}}; } && !requires { T{Stranger{}}; };

// References to the fields, in order.
template <class T>
constexpr auto fields([[maybe_unused]] T& t) {
  constexpr size_t n = field_count<T>;
  static_assert(n <= 8, "a struct with more than eight fields is not supported");
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
