#include "python/src/engine/values.h"

#include "python/src/cell/results.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/expr.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

py::object array_of(PyObject* tensor) {
  const Ref held = Ref::steal(checked(tensor));
  return py::reinterpret_steal<py::object>(checked(as_array(held.get())));
}

// Whether the tensors have one shape, and lie one after the other in one block.
bool are_one_matrix(const std::vector<Tensor>& all) {
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].shape() != all[0].shape() || all[i].owner() != all[0].owner() ||
        all[i].data() != all[0].data() + i * all[0].size())
      return false;
  return !all.empty() && all[0].size() > 0;
}
// One array [n, shape...]. ShapeError if the shapes differ.
py::object stacked(const std::vector<Tensor>& all) {
  if (are_one_matrix(all)) return array_of(new_stack(all.size(), all[0].shape(), all[0].owner(), all[0].data()));
  auto block = std::make_shared<std::vector<float>>();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].shape() != all[0].shape())
      throw ShapeError("stack: result " + std::to_string(i) + " is " + str(all[i].shape()) + " and result 0 is " +
                       str(all[0].shape()) + "; they must have one shape");
    block->insert(block->end(), all[i].begin(), all[i].end());
  }
  const float* const data = block->data();
  return array_of(new_stack(all.size(), all.empty() ? Shape() : all[0].shape(), std::move(block), data));
}
std::vector<Ref> arrays(const std::vector<Tensor>& tensors) {
  std::vector<Ref> all;
  all.reserve(tensors.size());
  if (are_one_matrix(tensors) && tensors[0].shape().rank > 0) {
    const py::object matrix = stacked(tensors);  // its rows are views
    for (const py::handle row : matrix) all.push_back(Ref::share(row.ptr()));
    return all;
  }
  for (const Tensor& t : tensors) {
    const Ref tensor = Ref::steal(checked(new_tensor(t)));
    all.push_back(Ref::steal(checked(as_array(tensor.get()))));
  }
  return all;
}

py::object with_arrays(const py::handle& results, const std::vector<Ref>& values, const py::object& state_class) {
  size_t next = 0;
  return py::reinterpret_steal<py::object>(
      with_replaced(results.ptr(), {[&](Expr) {
                                      if (next == values.size())
                                        throw GraphError("the results were changed while they were computed");
                                      return values[next++];
                                    },
                                    [&](const Ref& h, const Ref& c) {
                                      return Ref::steal(checked(
                                          PyObject_CallFunctionObjArgs(state_class.ptr(), h.get(), c.get(), nullptr)));
                                    }})
          .release());
}

}  // namespace

std::vector<Expr> exprs_of(const py::handle& results, std::string_view who) {
  std::vector<Expr> all;
  collect_exprs(results.ptr(), all);
  if (!all.empty()) return all;
  const Py_ssize_t length = PyObject_Size(results.ptr());
  if (length < 0) PyErr_Clear();  // not a container
  if (length != 0)
    throw_type_error(std::string(who) + ": the results hold no Expr; the function must return one, or several");
  return all;
}

py::object infer(PythonEngine& engine, const py::list& results, bool stack, const py::object& state_class) {
  Batch<Expr> batch;
  collect_exprs(results.ptr(), batch.results);
  if (stack)
    for (const py::handle one : results)
      if (!is_expr(one.ptr()))
        throw_type_error("infer: stack needs one Expr per example, and the function returned " + type_of(one.ptr()));
  std::vector<Tensor> values;
  {
    Engine& cpp = engine.get();
    const Unlocked unlocked;
    values = cpp.infer(batch);
  }
  if (stack) return stacked(values);
  return with_arrays(results, arrays(values), state_class);
}

py::object value(PythonEngine& engine, const py::handle& x, const py::object& state_class) {
  const std::vector<Expr> exprs = exprs_of(x, "value");
  std::vector<Tensor> values;
  {
    Engine& cpp = engine.get();
    const Unlocked unlocked;
    values = cpp.tensors(exprs);
  }
  return with_arrays(x, arrays(values), state_class);
}

}  // namespace espalier::python
