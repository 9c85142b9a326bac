// Parameters of several modules as one espalier::Parameters, for optimisers, averages and files.
#pragma once
#include <pybind11/pybind11.h>

#include <espalier/param/parameters.h>

namespace espalier::python {

class Group {
 public:
  // A list of Parameters, or of (name, Parameter): the names under which they are stored; by default their own.
  // GraphError: one has no name, or two have the same.
  explicit Group(const pybind11::list& parameters);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();

  Parameters& all() { return parameters_; }

 private:
  Parameters parameters_;
};

}  // namespace espalier::python
