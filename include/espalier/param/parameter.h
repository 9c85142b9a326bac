// Parameters: named tensors shared by all calls. Parameter is a handle; copies refer to the same tensor. The tensor
// lives as long as its Parameters or any handle. Cells and graphs only need its shape: values may be drawn later, by
// initialize or at the first access (a run, value(), saving, an optimiser), or assigned or loaded instead.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <espalier/tensor/tensor.h>

namespace espalier {

namespace detail {
struct ParameterStorage;
}

// Initial values of a parameter. They depend only on the seed and the full name.
struct Init {
  enum class Kind { constant, uniform, normal, glorot, he, orthogonal, identity, data };
  Kind kind = Kind::constant;
  float a = 0, b = 0;  // the arguments of the functions below: gain, value, mean and sd, or lo and hi
  std::vector<float> data{};
  std::optional<Shape> shape{};  // of `data`, if known; must then equal the parameter's shape
  int zero_row = -1;             // this row is 0; -1: none
};
namespace init {
ESPALIER_API Init glorot(float gain = 1);      // uniform ± gain √(6 / (in + out))
ESPALIER_API Init he();                        // normal, sd √(2 / in)
ESPALIER_API Init orthogonal(float gain = 1);  // orthonormal rows or columns (Saxe et al. 2014)
ESPALIER_API Init identity(float gain = 1);    // gain on the diagonal of a matrix
ESPALIER_API Init normal(float mean, float sd);
ESPALIER_API Init uniform(float lo, float hi);
ESPALIER_API Init constant(float value);
ESPALIER_API Init from(std::vector<float> data);  // row-major; as many values as the parameter has elements
ESPALIER_API Init tensor(const Tensor& value);    // same shape as the parameter; from a file: espalier/io/init.h
}  // namespace init

class ESPALIER_API Parameter {
 public:
  Parameter() = default;  // empty: using it is a GraphError
  explicit Parameter(std::shared_ptr<detail::ParameterStorage> storage) : storage_(std::move(storage)) {}
  // A parameter without name, values and Parameters. Random initial values need a name: GraphError if it is used
  // before rename, assign or a load.
  static Parameter make(Shape shape, Init how = init::glorot());
  explicit operator bool() const { return storage_ != nullptr; }

  std::string name() const;  // the full name, with the prefix of its Parameters; empty if unnamed
  // Changes the name within its Parameters; their prefix stays. Error as of Scope::add. The values do not change.
  void rename(std::string name);
  Shape shape() const;
  bool drawn() const;                // whether it has values
  Tensor value() const;              // a copy, which later updates do not change
  void assign(const Tensor& value);  // ShapeError unless the shapes are equal
  // Draws the initial values from this seed and the full name, also if it has values. Values given by init::from or
  // init::tensor are not random: they are written once, and stay if it has values.
  void initialize(uint64_t seed);
  void freeze(bool on = true);  // a frozen parameter gets no gradient
  bool frozen() const;

  const std::shared_ptr<detail::ParameterStorage>& storage() const;  // GraphError if empty

 protected:
  static Parameter make_free(Shape shape, Init how, bool table);

 private:
  std::shared_ptr<detail::ParameterStorage> storage_;
  std::shared_ptr<void> handles_;  // made without Parameters: shared by all handles, so that the last one is noticed
};

// A table of n rows of the same shape, with sparse gradients and sparse updates.
class ESPALIER_API Lookup : public Parameter {
 public:
  using Parameter::Parameter;
  static Lookup make(int rows, Shape row, Init how = init::normal(0, 0.1f));

 private:
  explicit Lookup(Parameter table) : Parameter(std::move(table)) {}
};

}  // namespace espalier
