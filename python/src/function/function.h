// The Python type Function: a C++ function with named arguments and defaults, called by vectorcall. `wrap` makes one of
// a C++ function or lambda; the types of its arguments decide how Python objects are converted.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/src/engine/current.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"

namespace espalier::python {

// Arguments of a call in the order of their names; a missing one is its default.
using Callee =
    std::function<PyObject*(std::string_view who, std::span<const std::string> names, PyObject* const* args)>;

// `arguments`: "x, axis=-1, bias=None". A default is a Python literal.
Ref new_function(std::string name, std::string_view arguments, std::string doc, Callee callee);

// ---- results

inline PyObject* to_python(Expr x) { return new_expr(x); }
inline PyObject* to_python(const nn::State& s) { return new_state(s); }
inline PyObject* to_python(PyObject* made) { return made; }
inline PyObject* to_python(int64_t number) { return PyLong_FromLongLong(number); }
template <class T>
PyObject* to_python(const std::vector<T>& all) {
  PyObject* const list = checked(PyList_New(static_cast<Py_ssize_t>(all.size())));
  for (size_t i = 0; i < all.size(); ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), to_python(all[i]));
  return list;
}
template <class... T>
PyObject* to_python(const std::tuple<T...>& all) {
  return std::apply(
      [](const auto&... one) {
        const std::array<Ref, sizeof...(T)> refs{Ref::steal(checked(to_python(one)))...};
        PyObject* const tuple = checked(PyTuple_New(sizeof...(T)));
        for (size_t i = 0; i < refs.size(); ++i)
          PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), Ref(refs[i]).release());
        return tuple;
      },
      all);
}

// ---- arguments: Held<T> converts an object, and gives a T while it lives

template <class T>
struct Held;
template <class T, T (*convert)(PyObject*, const Asked&)>
struct HeldValue {
  T value;
  HeldValue(PyObject* object, const Asked& asked) : value(convert(object, asked)) {}
  const T& get() const { return value; }
};
template <>
struct Held<Expr> : HeldValue<Expr, to_expr> {
  using HeldValue::HeldValue;
};
template <>
struct Held<Operand> : HeldValue<Operand, to_operand> {
  using HeldValue::HeldValue;
};
template <>
struct Held<nn::State> : HeldValue<nn::State, to_state> {
  using HeldValue::HeldValue;
};
template <>
struct Held<Index> : HeldValue<Index, to_index> {
  using HeldValue::HeldValue;
};
template <>
struct Held<Number> : HeldValue<Number, to_number> {
  using HeldValue::HeldValue;
};
template <>
struct Held<int> : HeldValue<int, to_int> {
  using HeldValue::HeldValue;
};
template <>
struct Held<bool> : HeldValue<bool, to_bool> {
  using HeldValue::HeldValue;
};
template <>
struct Held<Shape> : HeldValue<Shape, to_shape> {
  using HeldValue::HeldValue;
};
template <>
struct Held<std::string> : HeldValue<std::string, to_string> {
  using HeldValue::HeldValue;
};
template <>
struct Held<float> {
  float value;
  Held(PyObject* object, const Asked& asked) : value(static_cast<float>(to_double(object, asked))) {}
  float get() const { return value; }
};
template <>
struct Held<PyObject*> {
  PyObject* value;
  Held(PyObject* object, const Asked&) : value(object) {}
  PyObject* get() const { return value; }
};
template <class T>
struct Held<std::optional<T>> {
  std::optional<T> value;
  Held(PyObject* object, const Asked& asked) {
    if (object != Py_None) value.emplace(Held<T>(object, asked).get());
  }
  const std::optional<T>& get() const { return value; }
};
template <class T>
struct Held<std::vector<T>> {
  std::vector<T> value;
  Held(PyObject* object, const Asked& asked) {
    const Items items(object, asked);
    value.reserve(items.size());
    for (size_t i = 0; i < items.size(); ++i) value.push_back(Held<T>(items[i], asked).get());
  }
  const std::vector<T>& get() const { return value; }
};
template <class T>
struct Held<std::span<const T>> : Held<std::vector<T>> {
  using Held<std::vector<T>>::Held;
};

// Arguments that Python does not pass: the current graph, the line.
template <class T>
inline constexpr bool is_implicit = std::is_same_v<T, Graph> || std::is_same_v<T, Where>;

template <class A>
struct Given {
  Held<A> held;
  Given(std::string_view who, std::span<const std::string> names, PyObject* const* args, size_t& next)
      : held(args[next], Asked{who, names[next]}) {
    ++next;
  }
  decltype(auto) get() const { return held.get(); }
};
template <>
struct Given<Graph> {
  Graph& graph;
  Given(std::string_view who, std::span<const std::string>, PyObject* const*, size_t&) : graph(current_graph(who)) {}
  Graph& get() const { return graph; }
};
template <>
struct Given<Where> {
  Given(std::string_view, std::span<const std::string>, PyObject* const*, size_t&) {}
  Where get() const { return {}; }
};

// Whether an argument of this type may hold an Expr that is no Operand.
template <class A>
inline constexpr bool may_hold_expr = std::is_same_v<A, Expr> || std::is_same_v<A, PyObject*>;

// Whether the function takes operands and no Expr, such as dot(a, b): parameters and numbers do not tell the graph.
template <class... A>
inline constexpr bool takes_operands_only =
    (std::is_same_v<std::remove_cvref_t<A>, Operand> || ...) && !(may_hold_expr<std::remove_cvref_t<A>> || ...);

// For such a function: if no operand is an Expr, the first becomes a row of the current graph or cell.
template <class... A>
class WithRow {
 public:
  WithRow(std::string_view who, std::span<const std::string> names, PyObject* const* args) {
    std::copy_n(args, sizeof...(A), args_.begin());
    constexpr std::array<bool, sizeof...(A)> is_operand{std::is_same_v<std::remove_cvref_t<A>, Operand>...};
    size_t first = sizeof...(A);
    for (size_t i = sizeof...(A); i-- > 0;) {
      if (!is_operand[i]) continue;
      if (is_expr(args_[i])) return;
      first = i;
    }
    row_ = Ref::steal(checked(new_expr(to_expr(args_[first], {who, names[first]}))));
    args_[first] = row_.get();
  }
  PyObject* const* args() const { return args_.data(); }

 private:
  std::array<PyObject*, sizeof...(A)> args_;
  Ref row_;
};

template <class R, class... A, class F>
Callee callee_of(std::type_identity<R(A...)>, F f) {
  return [f = std::move(f)]([[maybe_unused]] std::string_view who, [[maybe_unused]] std::span<const std::string> names,
                            [[maybe_unused]] PyObject* const* args) -> PyObject* {
    [[maybe_unused]] size_t next = 0;
    if constexpr (takes_operands_only<A...>) {
      const WithRow<A...> operands(who, names, args);
      const std::tuple<Given<std::remove_cvref_t<A>>...> given{
          Given<std::remove_cvref_t<A>>(who, names, operands.args(), next)...};
      return std::apply([&](const auto&... one) { return to_python(f(one.get()...)); }, given);
    }
    // Braces guarantee conversion from left to right.
    const std::tuple<Given<std::remove_cvref_t<A>>...> given{Given<std::remove_cvref_t<A>>(who, names, args, next)...};
    return std::apply([&](const auto&... one) { return to_python(f(one.get()...)); }, given);
  };
}

template <class F>
struct CallOf : CallOf<decltype(&F::operator())> {};
template <class R, class... A>
struct CallOf<R (*)(A...)> {
  using type = R(A...);
};
template <class C, class R, class... A>
struct CallOf<R (C::*)(A...) const> {
  using type = R(A...);
};

template <class F>
Ref wrap(std::string name, std::string_view arguments, std::string doc, F f) {
  return new_function(std::move(name), arguments, std::move(doc),
                      callee_of(std::type_identity<typename CallOf<F>::type>{}, std::move(f)));
}

void add_function_type(PyObject* module);

}  // namespace espalier::python
