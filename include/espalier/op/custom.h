// Ops from outside: a user's own kernel. A struct declares it, once:
//
//   struct Softclip {
//     static constexpr std::string_view name = "mine.softclip", text = "…", math = "y = …";
//     struct Attrs { float limit = 1; };                                   // up to eight numbers
//     static constexpr std::array<std::string_view, 1> attr_names{"limit"};
//     static constexpr std::array<std::string_view, 1> inputs{"x"};        // at most eight
//     static Shape infer(const Attrs&, std::span<const Shape> in);         // ShapeError where they do not fit
//     template <class T> static void forward(const Attrs&, const CustomForward<T>&);    // T: float and double
//     template <class T> static void backward(const Attrs&, const CustomBackward<T>&);  // left out: no gradient passes
//     static std::vector<CustomSample<Attrs>> samples();                   // what the laws are checked on
//   };
//
// It is called through CustomOp<Softclip> (espalier/expr/custom.h), batches like any other op, is told apart by its
// name and attributes, and is checked by check_op<Softclip>() (espalier/law/check_op.h). A kernel sees rows, never
// calls; it must not throw, and must give a row the same result whatever rows are beside it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include <espalier/base/fields.h>
#include <espalier/tensor/shape.h>

namespace espalier {

struct OpInfo;

// Row i starts at data + i * stride, its elements side by side. A row that all calls share has a stride of 0.
template <class T>
struct CustomRows {
  T* data = nullptr;
  int64_t stride = 0;
  T* operator[](int64_t row) const { return data + row * stride; }
};

template <class T>
struct CustomForward {
  int64_t rows = 0;
  std::span<const Shape> shapes;  // of the inputs
  std::span<const CustomRows<const T>> in;
  CustomRows<T> out;  // to be written
};

template <class T>
struct CustomBackward {
  int64_t rows = 0;
  std::span<const Shape> shapes;
  std::span<const CustomRows<const T>> in;
  CustomRows<const T> out, dy;         // the result, and its gradient
  std::span<const CustomRows<T>> din;  // the gradients of the inputs, all to be written
};

// A case that must work: attributes, shapes of the inputs, and the range that values are drawn from.
template <class Attrs>
struct CustomSample {
  Attrs attrs;
  std::vector<Shape> shapes;
  double lo = -2, hi = 2;
};

namespace detail {

using ErasedAttrs = std::vector<double>;

struct CustomOpTable {
  std::string_view name, text, math;
  std::span<const std::string_view> inputs, attr_names;
  double tolerance = 1e-5;
  Shape (*infer)(const ErasedAttrs&, std::span<const Shape>) = nullptr;
  void (*forward_float)(const ErasedAttrs&, const CustomForward<float>&) = nullptr;
  void (*forward_double)(const ErasedAttrs&, const CustomForward<double>&) = nullptr;
  void (*backward_float)(const ErasedAttrs&, const CustomBackward<float>&) = nullptr;  // null: no gradient passes
  void (*backward_double)(const ErasedAttrs&, const CustomBackward<double>&) = nullptr;
  std::vector<CustomSample<ErasedAttrs>> (*samples)() = nullptr;
};

// The op of this table; the same table again is the same op. Error: the name is taken, or not a name.
ESPALIER_API const OpInfo& register_op(const CustomOpTable& table);

// A whole number of 64 bits is no double.
template <class T>
inline constexpr bool kept_by_double = std::is_floating_point_v<T> || (std::is_arithmetic_v<T> && sizeof(T) <= 4);

template <class A>
ErasedAttrs erase_numbers(const A& attrs) {
  ErasedAttrs r;
  std::apply(
      [&](const auto&... f) {
        static_assert((kept_by_double<std::remove_cvref_t<decltype(f)>> && ...),
                      "an attribute is a float, a double, a bool or an integer of at most 32 bits");
        (r.push_back(static_cast<double>(f)), ...);
      },
      fields(attrs));
  return r;
}
template <class A>
A read_numbers(const ErasedAttrs& values) {
  A a{};
  [[maybe_unused]] size_t at = 0;
  std::apply([&](auto&... f) { ((f = static_cast<std::remove_reference_t<decltype(f)>>(values[at++])), ...); },
             fields(a));
  return a;
}

template <class Op>
CustomOpTable table_of() {
  using A = typename Op::Attrs;
  static_assert(Op::attr_names.size() == field_count<A>, "name every field of Attrs in attr_names");
  CustomOpTable t;
  t.name = Op::name;
  t.text = Op::text;
  t.math = Op::math;
  t.inputs = Op::inputs;
  t.attr_names = Op::attr_names;
  if constexpr (requires { Op::tolerance; }) t.tolerance = Op::tolerance;
  t.infer = [](const ErasedAttrs& a, std::span<const Shape> in) { return Op::infer(read_numbers<A>(a), in); };
  t.forward_float = [](const ErasedAttrs& a, const CustomForward<float>& f) { Op::forward(read_numbers<A>(a), f); };
  t.forward_double = [](const ErasedAttrs& a, const CustomForward<double>& f) { Op::forward(read_numbers<A>(a), f); };
  if constexpr (requires(const A& a, const CustomBackward<float>& b) { Op::backward(a, b); }) {
    t.backward_float = [](const ErasedAttrs& a, const CustomBackward<float>& b) {
      Op::backward(read_numbers<A>(a), b);
    };
    t.backward_double = [](const ErasedAttrs& a, const CustomBackward<double>& b) {
      Op::backward(read_numbers<A>(a), b);
    };
  }
  t.samples = [] {
    std::vector<CustomSample<ErasedAttrs>> all;
    for (const CustomSample<A>& s : Op::samples()) all.push_back({erase_numbers(s.attrs), s.shapes, s.lo, s.hi});
    return all;
  };
  return t;
}

}  // namespace detail

template <class Op>
const OpInfo& custom_op() {
  static const OpInfo& op = detail::register_op(detail::table_of<Op>());
  return op;
}

}  // namespace espalier
