// Values of recorded results, as NumPy arrays in the structure of the results.
#pragma once
#include <pybind11/pybind11.h>

#include <string_view>
#include <vector>

#include <espalier/expr/expr.h>
#include "python/src/engine/python_engine.h"

namespace espalier::python {

// All Exprs in `results`. TypeError if a result that is no empty container holds none; `who` starts its message.
std::vector<Expr> exprs_of(const pybind11::handle& results, std::string_view who);

// The results of a batch. `stack`: as one array; every result must be an Expr.
pybind11::object infer(PythonEngine& engine, const pybind11::list& results, bool stack,
                       const pybind11::object& state_class);
// The values of one object that holds Exprs.
pybind11::object value(PythonEngine& engine, const pybind11::handle& x, const pybind11::object& state_class);

}  // namespace espalier::python
