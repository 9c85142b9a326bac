// Custom ops: kernels written by the user. A struct declares the op once:
//
//   struct Softclip {
//     static constexpr std::string_view name = "mine.softclip", text = "…", math = "y = …";
//     struct Attrs { float limit = 1; };                                   // up to eight numbers
//     static constexpr std::array<std::string_view, 1> attr_names{"limit"};
//     static constexpr std::array<std::string_view, 1> inputs{"x"};        // at most eight
//     static Shape infer(const Attrs&, std::span<const Shape> in);         // throws ShapeError for invalid shapes
//     template <class T> static void forward(const Attrs&, const CustomForward<T>&);    // T: float and double
//     template <class T> static void backward(const Attrs&, const CustomBackward<T>&);  // optional; else no gradient
//     static std::vector<CustomSample<Attrs>> samples();                   // test cases for check_op
//   };
//
// Call it through CustomOp<Softclip> (espalier/expr/custom.h). It batches like any other op, is identified by its name
// and attributes, and is tested by check_op<Softclip>() (espalier/law/check_op.h). A kernel sees rows, never calls. It
// must not throw, and the result of a row must not depend on the other rows.
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

// Row i starts at data + i * stride; its elements are contiguous. A row shared by all calls has stride 0.
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
  CustomRows<T> out;  // the kernel must write all of it
};

template <class T>
struct CustomBackward {
  int64_t rows = 0;
  std::span<const Shape> shapes;
  std::span<const CustomRows<const T>> in;
  CustomRows<const T> out, dy;         // the result, and its gradient
  std::span<const CustomRows<T>> din;  // the gradients of the inputs; the kernel must write all of them
};

// A case that must work: attributes, shapes of the inputs, and the range from which values are drawn.
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

// Registers the op of this table; registering the same table again returns the same op. Error if the name is taken or
// invalid.
ESPALIER_API const OpInfo& register_op(const CustomOpTable& table);

// Excludes 64-bit integers, which a double cannot represent exactly.
template <class T>
inline constexpr bool kept_by_double = std::is_floating_point_v<T> || (std::is_arithmetic_v<T> && sizeof(T) <= 4);

template <class A>
ErasedAttrs erase_numbers(const A& attrs) {
  ErasedAttrs r;
  std::apply(
      [&](const auto&... f) {
        static_assert((kept_by_double<std::remove_cvref_t<decltype(f)>> && ...),
                      "an attribute must be a float, a double, a bool or an integer of at most 32 bits");
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
