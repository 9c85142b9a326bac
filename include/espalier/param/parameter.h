// Parameters: named tensors that all calls share. Handles; a copy shares. Alive while their
// Parameters are, or somebody holds a handle.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <espalier/tensor/tensor.h>

namespace espalier {

namespace detail {
struct Slot;
}

// How a parameter starts. The values depend on the seed and the full name only.
struct Init {
  enum class Kind { constant, uniform, normal, glorot, he, orthogonal, identity, data };
  Kind kind = Kind::constant;
  float a = 0, b = 0;
  std::vector<float> data{};
  std::optional<Shape> shape{};  // of the data, where it has one: the parameter must have the same
};
namespace init {
ESPALIER_API Init glorot(float gain = 1);      // uniform ± gain √(6 / (in + out))
ESPALIER_API Init he();                        // normal, sd √(2 / in)
ESPALIER_API Init orthogonal(float gain = 1);  // orthonormal rows or columns (Saxe et al. 2014)
ESPALIER_API Init identity(float gain = 1);    // gain on the diagonal of a matrix
ESPALIER_API Init normal(float mean, float sd);
ESPALIER_API Init uniform(float lo, float hi);
ESPALIER_API Init constant(float value);
ESPALIER_API Init from(std::vector<float> data);  // row-major, as many as the parameter has
ESPALIER_API Init tensor(Tensor value);           // of the parameter's shape; from a file: espalier/io/init.h
}  // namespace init

class ESPALIER_API Parameter {
 public:
  Parameter() = default;  // empty: using it is a GraphError
  explicit Parameter(std::shared_ptr<detail::Slot> slot) : slot_(std::move(slot)) {}
  explicit operator bool() const { return slot_ != nullptr; }

  const std::string& name() const;
  Shape shape() const;
  Tensor value() const;
  void assign(const Tensor& value);  // ShapeError unless the shapes are equal
  void freeze(bool on = true);       // a frozen parameter gets no gradient
  bool frozen() const;

  const std::shared_ptr<detail::Slot>& slot() const;  // throws GraphError where empty

 private:
  std::shared_ptr<detail::Slot> slot_;
};

// A table of n rows of one shape: sparse gradient, sparse update.
class ESPALIER_API Lookup : public Parameter {
 public:
  using Parameter::Parameter;
};

}  // namespace espalier
