// Settled<T>: a type that owns its value. References become values, also inside tuples and pairs; void becomes
// std::monostate.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace espalier::detail {

template <class T>
struct Settle {
  using type = std::decay_t<T>;
};
template <>
struct Settle<void> {
  using type = std::monostate;
};
template <class... T>
struct Settle<std::tuple<T...>> {
  using type = std::tuple<typename Settle<std::remove_cvref_t<T>>::type...>;
};
template <class A, class B>
struct Settle<std::pair<A, B>> {
  using type = std::pair<typename Settle<std::remove_cvref_t<A>>::type, typename Settle<std::remove_cvref_t<B>>::type>;
};
template <class T>
using Settled = typename Settle<std::remove_cvref_t<T>>::type;

}  // namespace espalier::detail
