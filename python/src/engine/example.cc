// What the code of one example calls without an Expr: input, emit, random, is_training, and the branches of gather.
#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/engine/record.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/expr.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

// input(array, name=None): a row of numbers, with a gradient under `name`.
Expr named_input(const py::handle& array, const py::handle& name) {
  Floats numbers;
  read_floats(array.ptr(), {"input", "the array"}, numbers);
  const Expr x = input(current_graph("input"), {numbers.data, numbers.size()}, numbers.shape, Where{});
  if (name.is_none()) return x;
  std::string text = to_string(name.ptr(), {"input", "name"});
  Recording* const recording = current()->recording;
  if (recording == nullptr) throw GraphError("input: a named input needs engine.record, which collects its gradients");
  recording->inputs.push_back({std::move(text), recording->position, x});
  return x;
}

void emit(const py::handle& metric, const py::handle& value, const py::handle& label) {
  const std::string name = to_string(metric.ptr(), {"emit", "metric"});
  current_graph("emit").emit(name, to_expr(value.ptr(), {"emit", "value"}), to_int(label.ptr(), {"emit", "label"}));
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
  m.def(
      "input",
      [](const py::handle& array, const py::handle& name) {
        return py::reinterpret_steal<py::object>(checked(new_expr(named_input(array, name))));
      },
      py::arg("array"), py::arg("name") = py::none());
  m.def("emit", &emit, py::arg("metric"), py::arg("value"), py::arg("label") = -1);
  m.def("random", []() { return current_graph("random").random(); });
  m.def("is_training", []() { return current_graph("is_training").mode() == Mode::train; });
  m.def("collect_exprs", [](const py::handle& result) {
    std::vector<Expr> all;
    collect_exprs(result.ptr(), all);
    py::list list;
    for (const Expr x : all) list.append(py::reinterpret_steal<py::object>(checked(new_expr(x))));
    return list;
  });
}

}  // namespace espalier::python
