// The owner of parameters' names and seed, and the scopes that modules are made in.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include <espalier/base/owned.h>
#include <espalier/param/parameter.h>

namespace espalier {

template <class Signature>
class Cell;

namespace detail {
struct ParametersState;
inline constexpr char parameters_name[] = "parameters";
template <class M>
struct CallOperator {
  static_assert(sizeof(M) == 0, "a cell is made from a lambda with written argument types: [&](Expr x) { ... }");
};
template <class C, class R, class... A>
struct CallOperator<R (C::*)(A...) const> {
  using cell = Cell<R(A...)>;
};
template <class C, class R, class... A>
struct CallOperator<R (C::*)(A...) const noexcept> {
  using cell = Cell<R(A...)>;
};
template <class F>
struct CellOf {
  static_assert(
      requires { &F::operator(); },
      "a cell is made from a lambda with written argument types: [&](Expr x) { ... }, not auto");
  using type = typename CallOperator<decltype(&F::operator())>::cell;
};
}  // namespace detail

// A place in the tree of names: `Linear out(p / "out", 100, 5)` makes out.weight and out.bias. Good while its
// Parameters are there, also after they were moved; then every use is a GraphError.
class ESPALIER_API Scope {
 public:
  Scope(std::weak_ptr<detail::ParametersState> root, std::string path)
      : root_(std::move(root)), path_(std::move(path)) {}

  Scope operator/(std::string_view name) const;
  // Error: the name is taken, empty, or one that a file cannot hold.
  Parameter add(std::string_view name, Shape shape, Init how = init::glorot()) const;
  Lookup add_lookup(std::string_view name, int rows, Shape row, Init how = init::normal(0, 0.1f)) const;

  // Traces f ONCE, HERE, with placeholders, and drops it: [&] and [this] are safe, a wrong shape shows before any data.
  // One shape per argument (it holds for all fields of a struct; {} for an Index). Two cells with equal programs are
  // one cell.
  template <class F>
  typename detail::CellOf<F>::type cell(std::string_view name, std::initializer_list<Shape> inputs, F f,
                                        ESPALIER_AT) const;

  const std::string& path() const { return path_; }
  std::shared_ptr<detail::ParametersState> root() const;  // GraphError: its Parameters are gone

 private:
  std::weak_ptr<detail::ParametersState> root_;
  std::string path_;
};

// Owns every parameter that was made in its scopes, until it ends; who holds a handle keeps that parameter longer.
class ESPALIER_API Parameters {
 public:
  explicit Parameters(uint64_t seed = 0, Device device = Device::cpu());
  Parameters(Parameters&&) noexcept;
  Parameters& operator=(Parameters&&) noexcept;
  ~Parameters();

  operator Scope();
  Scope operator/(std::string_view name);
  Parameter operator[](std::string_view name) const;              // Error: there is no such parameter
  std::vector<Parameter> all(std::string_view glob = "*") const;  // in the order they were made
  size_t count(std::string_view glob = "*") const;                // of numbers, over all parameters
  std::string summary(std::string_view glob = "*") const;         // a table: name, shape, numbers, and their sum

 private:
  void release();
  detail::Owned<std::shared_ptr<detail::ParametersState>, detail::parameters_name> state_;
};

}  // namespace espalier
