// Leaf blocks: rows from scalars, vectors and categories of the example, and constants. Also metric() and concat().
#pragma once
#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <string>
#include <vector>

#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

template <class T>
concept Numeric = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class C>
concept NumberRange = std::ranges::sized_range<const C> && Numeric<std::ranges::range_value_t<const C>>;

ESPALIER_API Expr record_numbers(Graph& g, std::span<const float> numbers, const Shape& shape, Where at);
[[noreturn]] ESPALIER_API void refuse_categories(std::string_view who, const std::string& why, Where at = {});
[[noreturn]] ESPALIER_API void refuse_category(const std::string& given, int categories, Where at);

struct Scalar : Part {
  template <Numeric X>
  Expr operator()(Graph& g, const X& x, Where at = {}) const {
    return input(g, static_cast<float>(x), at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{Shape{}};
  }
};

struct Dense : Part {
  Shape shape;
  explicit Dense(Shape s) : shape(s) {}
  template <NumberRange X>
  Expr operator()(Graph& g, const X& x, Where at = {}) const {
    if constexpr (requires { std::span<const float>(x); }) {
      return record_numbers(g, std::span<const float>(x), shape, at);
    } else {
      std::vector<float> numbers;
      numbers.reserve(std::ranges::size(x));
      for (const auto& v : x) numbers.push_back(static_cast<float>(v));
      return record_numbers(g, numbers, shape, at);
    }
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{shape};
  }
};

struct OneHot : Part {
  int n;
  explicit OneHot(int n_) : n(n_) {}
  template <Numeric X>
    requires(!std::is_floating_point_v<X>)
  Expr operator()(Graph& g, const X& x, Where at = {}) const {
    const auto number = static_cast<long long>(x);
    if (number < 0 || number >= n) refuse_category(std::to_string(number), n, at);
    return espalier::one_hot(g, n, static_cast<int>(number), at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{Shape{n}};
  }
};

template <class T>
struct OneHotOf : Part {
  std::vector<T> values;
  explicit OneHotOf(std::vector<T> v) : values(std::move(v)) {
    if (values.empty()) refuse_categories("one_hot", "none is given");
    for (auto it = values.begin(); it != values.end(); ++it)
      if (std::find(values.begin(), it, *it) != it) refuse_categories("one_hot", "one of them is given twice");
  }
  template <class X>
    requires std::equality_comparable_with<const X&, const T&>
  Expr operator()(Graph& g, const X& x, Where at = {}) const {
    const auto found = std::ranges::find_if(values, [&](const T& v) { return v == x; });
    if (found == values.end()) {
      if constexpr (std::is_convertible_v<const X&, std::string>)
        refuse_category(in_quotes(std::string(x)), static_cast<int>(values.size()), at);
      else if constexpr (std::is_same_v<X, char>)
        refuse_category(in_quotes(std::string(1, x)), static_cast<int>(values.size()), at);
      else if constexpr (std::is_arithmetic_v<X>)
        refuse_category(std::to_string(x), static_cast<int>(values.size()), at);
      else
        refuse_category("another value", static_cast<int>(values.size()), at);
    }
    return espalier::one_hot(g, static_cast<int>(values.size()), static_cast<int>(found - values.begin()), at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{Shape{static_cast<int>(values.size())}};
  }
};

// Ignores its input.
struct Constant : Part {
  Tensor value;
  explicit Constant(Tensor v) : value(std::move(v)) {}
  Expr operator()(Graph& g) const { return input(g, value.values(), value.shape()); }
  template <class X>
  Expr operator()(Graph& g, const X&, Where at = {}) const {
    return input(g, value.values(), value.shape(), at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{value.shape()};
  }
};
template <>
struct Converted<Tensor> {
  using type = Constant;
  static Constant from(const Tensor& x) { return Constant(x); }
};
struct Zeros : Part {
  Shape shape;
  explicit Zeros(Shape s) : shape(s) {}
  Expr operator()(Graph& g) const { return espalier::zeros(g, shape); }
  template <class X>
  Expr operator()(Graph& g, const X&, Where at = {}) const {
    return espalier::zeros(g, shape, at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where) const {
    return std::vector<Shape>{shape};
  }
};
struct Void : Part {
  template <class... X>
  Nothing operator()(const X&...) const {
    return {};
  }
};

struct Metric : Part {
  std::string name;
  explicit Metric(std::string n) : name(std::move(n)) {}
  Expr operator()(Graph& g, Expr x) const {
    g.emit(name, x);
    return x;
  }
  Expr operator()(Graph& g, Expr x, int label) const {
    g.emit(name, x, label);
    return x;
  }
  const std::vector<Expr>& operator()(Graph& g, const std::vector<Expr>& xs) const {
    for (Expr x : xs) g.emit(name, x);
    return xs;
  }
  template <class X>
  Shapes shapes_after(const Shapes& given, Where) const {
    return given;
  }
};

struct Concat : Part {
  template <class... E>
    requires(sizeof...(E) > 0 && (std::same_as<E, Expr> && ...))
  Expr operator()(const std::tuple<E...>& rows, Where at = {}) const {
    return std::apply([&](const E&... e) { return espalier::concat(std::array<Expr, sizeof...(E)>{e...}, 0, at); },
                      rows);
  }
  Expr operator()(const std::vector<Expr>& rows, Where at = {}) const { return espalier::concat(rows, 0, at); }
};

}  // namespace detail

// A scalar as a row of shape [].
inline detail::Scalar scalar() { return {}; }
// A container of n numbers as a row. DataError if its size is not n.
inline detail::Dense vector(int n) { return detail::Dense(Shape{n}); }
inline detail::Dense tensor(Shape shape) { return detail::Dense(shape); }
// An integer 0 … n-1 as a one-hot row of n elements.
inline detail::OneHot one_hot(int n) { return detail::OneHot(n); }
// One of these values as a one-hot row. DataError for any other value.
template <class T>
detail::OneHotOf<T> one_hot(std::vector<T> values) {
  return detail::OneHotOf<T>(std::move(values));
}
inline detail::OneHotOf<std::string> one_hot(std::initializer_list<const char*> values) {
  return detail::OneHotOf<std::string>({values.begin(), values.end()});
}
// A constant row; ignores the input.
inline detail::Constant constant(Tensor value) { return detail::Constant(std::move(value)); }
inline detail::Zeros zeros(Shape shape) { return detail::Zeros(shape); }
// Returns Nothing; ignores the input.
inline detail::Void nothing() { return {}; }
// Emits a row, a sequence of rows, or a row and its label under this name (see Batch::emitted), and returns its input.
inline detail::Metric metric(std::string name) { return detail::Metric(std::move(name)); }
// Concatenates the rows of a tuple or a sequence; a scalar counts as one element.
inline detail::Concat concat() { return {}; }

}  // namespace espalier::block
