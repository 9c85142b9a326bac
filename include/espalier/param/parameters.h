// Parameters owns all parameters, their names and the seed; Scope is a name prefix in which modules create parameters.
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
  static_assert(sizeof(M) == 0, "a cell needs a lambda with explicit argument types: [&](Expr x) { ... }");
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
      "a cell needs a lambda with explicit argument types: [&](Expr x) { ... }, not auto");
  using type = typename CallOperator<decltype(&F::operator())>::cell;
};
}  // namespace detail

// A name prefix: `Linear out(p / "out", 100, 5)` creates out.weight and out.bias. Valid while its Parameters exist,
// also after they were moved; afterwards every use throws GraphError.
class ESPALIER_API Scope {
 public:
  Scope(std::weak_ptr<detail::ParametersState> root, std::string path)
      : root_(std::move(root)), path_(std::move(path)) {}

  Scope operator/(std::string_view name) const;
  // Error if the name is taken, empty, or cannot be stored in a file.
  Parameter add(std::string_view name, Shape shape, Init how = init::glorot()) const;
  Lookup add_lookup(std::string_view name, int rows, Shape row, Init how = init::normal(0, 0.1f)) const;

  // Traces f ONCE, HERE, with placeholders, and drops it: [&] and [this] are safe, and a wrong shape is reported before
  // any data is seen. `inputs` has one shape per argument of f; the shape of a struct applies to all its fields, and
  // the shape of an Index is {}. Two cells with equal programs are one cell.
  template <class F>
  typename detail::CellOf<F>::type cell(std::string_view name, std::initializer_list<Shape> inputs, F f,
                                        ESPALIER_AT) const;

  const std::string& path() const { return path_; }
  std::shared_ptr<detail::ParametersState> root() const;  // GraphError if its Parameters no longer exist

 private:
  std::weak_ptr<detail::ParametersState> root_;
  std::string path_;
};

// When the parameters of a Parameters get their values.
enum class Drawn : uint8_t {
  at_once,  // parameters get their values when they are created
  late,     // at the first access or by initialize: names and seed may change before
};

// Owns every parameter created in its scopes. A handle keeps its parameter alive after the Parameters are destroyed.
class ESPALIER_API Parameters {
 public:
  explicit Parameters(uint64_t seed = 0, Drawn drawn = Drawn::at_once);
  Parameters(Parameters&&) noexcept;
  Parameters& operator=(Parameters&&) noexcept;
  ~Parameters();

  operator Scope();
  Scope operator/(std::string_view name);
  // The prefix of all full names of parameters and cells, "encoder.lstm" for "encoder.lstm.U"; empty at first. Paths of
  // scopes do not contain it. Initial values depend on it, values do not.
  void set_prefix(std::string prefix);
  std::string prefix() const;

  // Sets the seed, and draws all parameters, also those that have values, frozen ones included (Parameter::initialize).
  // Optimisers and moving averages keep their state.
  void initialize(uint64_t seed);

  Parameter operator[](std::string_view name) const;              // by full name; Error if no parameter has it
  std::vector<Parameter> all(std::string_view glob = "*") const;  // in order of creation
  size_t count(std::string_view glob = "*") const;                // number of elements in all matching parameters
  std::string summary(std::string_view glob = "*") const;         // a table: name, shape, elements, and the total

 private:
  void release();
  detail::Owned<std::shared_ptr<detail::ParametersState>, detail::parameters_name> state_;
};

}  // namespace espalier
