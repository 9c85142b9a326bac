// Functions for the code of one example that take no Expr: input, emit, random, is_training, and the branches of
// gather.
#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/engine/record.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/function/function.h"
#include "python/src/value/expr.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

// input(array, name=None): a row of numbers, with a gradient under `name`.
Expr named_input(PyObject* array, PyObject* name) {
  Floats numbers;
  read_floats(array, {"input", "the array"}, numbers);
  const Expr x = input(current_graph("input"), {numbers.data, numbers.size()}, numbers.shape, Where{});
  if (name == Py_None) return x;
  std::string text = to_string(name, {"input", "name"});
  Recording* const recording = current()->recording;
  if (recording == nullptr) throw GraphError("input: a named input needs engine.record, which collects its gradients");
  recording->inputs.push_back({std::move(text), recording->position, x});
  return x;
}

PyObject* emit(const std::string& metric, Expr value, int label) {
  current_graph("emit").emit(metric, value, label);
  Py_RETURN_NONE;
}

// The random numbers of one of several concurrent coroutines of an example.
class Branch {
 public:
  explicit Branch(uint64_t number) : graph_(current_graph("gather")), own_(graph_.tape().fork(number)) {}
  void enter() {
    outer_ = graph_.tape().example_state();
    graph_.tape().resume_example(own_);
  }
  void leave() {
    own_ = graph_.tape().example_state();
    graph_.tape().resume_example(outer_);
  }

 private:
  Graph& graph_;
  GraphTape::ExampleState own_, outer_;
};
// The calls of the branches of one gather do not share an ordinal with the calls after it.
void end_fork() { ++current_graph("gather").tape().ordinal; }

}  // namespace

void add_example(py::module_& m) {
  py::class_<Branch>(m, "Branch").def(py::init<uint64_t>()).def("enter", &Branch::enter).def("leave", &Branch::leave);
  m.def("end_fork", &end_fork);
  const auto add = [&m](const char* name, std::string_view arguments, const char* doc, auto f) {
    const Ref function = wrap(name, arguments, doc, std::move(f));
    m.add_object(name, function.get());
  };
  add("input", "array, name=None", "A row of numbers. With a name, gradients.inputs[name] holds its gradient.",
      &named_input);
  add("emit", "metric, value, label=-1", "Keeps a value of an example under a name: batch.emitted(metric).", &emit);
  add("random", "", "A random number, keyed by seed, epoch, example and position.",
      [] { return PyLong_FromUnsignedLongLong(current_graph("random").random()); });
  add("is_training", "", "Whether the example is recorded for training.",
      [] { return PyBool_FromLong(current_graph("is_training").mode() == Mode::train ? 1 : 0); });
  m.def("collect_exprs", [](const py::handle& result) {
    std::vector<Expr> all;
    collect_exprs(result.ptr(), all);
    py::list list;
    for (const Expr x : all) list.append(py::reinterpret_steal<py::object>(checked(new_expr(x))));
    return list;
  });
}

}  // namespace espalier::python
