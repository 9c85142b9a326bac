// Attributes of an op: a plain aggregate, reflected by structured bindings so that keys, printing and parsing include
// every field. Type-erased, they are a list of doubles; a Shape is its rank followed by its sizes.
#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <espalier/base/fields.h>
#include <espalier/tensor/shape.h>

namespace espalier {

using Attrs = std::vector<double>;

struct NoAttrs {};

using detail::field_count;
using detail::fields;

namespace detail {
inline void put(Attrs& to, const Shape& s) {
  to.push_back(s.rank);
  for (int i = 0; i < s.rank; ++i) to.push_back(s[i]);
}
template <class T>
  requires std::is_arithmetic_v<T>
void put(Attrs& to, T value) {
  to.push_back(static_cast<double>(value));
}
inline void take(const Attrs& from, size_t& at, Shape& s) {
  std::array<int, Shape::max_rank> dims{};
  const int rank = static_cast<int>(from.at(at++));
  for (int i = 0; i < rank; ++i) dims.at(static_cast<size_t>(i)) = static_cast<int>(from.at(at++));
  s = Shape::of(dims.data(), rank);
}
template <class T>
  requires std::is_arithmetic_v<T>
void take(const Attrs& from, size_t& at, T& value) {
  value = static_cast<T>(from.at(at++));
}
}  // namespace detail

template <class A>
Attrs erase(const A& attrs) {
  Attrs r;
  std::apply([&](const auto&... f) { (detail::put(r, f), ...); }, fields(attrs));
  return r;
}

template <class A>
A unerase(const Attrs& values) {
  A a{};
  size_t at = 0;
  std::apply([&](auto&... f) { (detail::take(values, at, f), ...); }, fields(a));
  return a;
}

// A number with `digits` significant digits and a decimal point in every locale.
inline std::string number_text(double x, int digits) {
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, digits).ptr;
  return {text.data(), end};
}

// How an attribute is printed.
enum class AttrKind : uint8_t {
  integer,
  real,    // a float, with 9 significant digits
  number,  // a double, with 17
  shape,
};
namespace detail {
template <class T>
constexpr AttrKind attr_kind = std::is_same_v<T, Shape>    ? AttrKind::shape
                               : std::is_integral_v<T>     ? AttrKind::integer
                               : std::is_same_v<T, double> ? AttrKind::number
                                                           : AttrKind::real;
template <class Tuple>
struct AttrKinds;
template <class... T>
struct AttrKinds<std::tuple<T&...>> {
  static constexpr std::array<AttrKind, sizeof...(T)> value{attr_kind<std::remove_cvref_t<T>>...};
};
}  // namespace detail
// The kinds of the fields of A.
template <class A>
constexpr std::span<const AttrKind> attr_kinds = detail::AttrKinds<decltype(fields(std::declval<A&>()))>::value;

// "alpha=3, shape=[2,4]"; used by print, parse and explain.
std::string attrs_text(const Attrs& values, std::span<const std::string_view> names, std::span<const AttrKind> kinds);

}  // namespace espalier
