// espalier._core.Batch, the result of record().
#include <pybind11/stl.h>

#include "cell/program.h"
#include "graph/tape.h"
#include "python/src/bindings.h"
#include "python/src/engine/record.h"
#include "python/src/errors.h"
#include "python/src/value/expr.h"

namespace py = pybind11;

namespace espalier::python {

void add_batch(py::module_& m) {
  py::class_<PythonBatch>(m, "Batch")
      // Results and exceptions may refer to the batch, by frames of tracebacks for example. The garbage collector sees
      // them only in Python's own lists, so they are handed out once.
      .def("take_results",
           [](PythonBatch& b) {
             py::list all;
             for (Ref& r : b.results) all.append(py::reinterpret_steal<py::object>(r.release()));
             b.results.clear();
             return all;
           })
      .def("replayed_results",
           [](const PythonBatch& b) {
             py::list all;
             for (const detail::ReplayedExample& one : b.replayed)
               all.append(py::reinterpret_steal<py::object>(b.result_of(one).release()));
             return all;
           })
      .def_readonly("positions", &PythonBatch::positions)
      .def_readonly("rounds", &PythonBatch::rounds)
      .def_property_readonly("calls",
                             [](const PythonBatch& b) {
                               size_t n = 0;
                               for (const Graph& g : b.graphs) n += g.calls();
                               return n;
                             })
      // For tests: the recorded calls and the programs of their cells.
      .def("text",
           [](const PythonBatch& b) {
             std::string text;
             for (const Graph& g : b.graphs) {
               text += print(g.tape());
               for (const auto& cell : g.tape().cells) text += print(*cell);
             }
             return text;
           })
      .def("take_failed",
           [](PythonBatch& b) {
             py::list all;
             for (const Failure& f : b.failed) {
               set_error(f.error);
               const PythonError error;
               all.append(py::make_tuple(f.example, py::handle(error.value())));
             }
             b.failed.clear();
             return all;
           })
      .def_property_readonly(
          "inputs",
          [](const PythonBatch& b) {
            py::dict all;
            for (const NamedInput& i : b.inputs) {
              const py::str key(i.name);
              if (!all.contains(key)) all[key] = py::list();
              all[key].cast<py::list>().append(py::reinterpret_steal<py::object>(checked(new_expr(i.value))));
            }
            return all;
          })
      .def("emitted", [](const PythonBatch& b, const std::string& metric) {
        py::list values, labels;
        for (const Graph& g : b.graphs) {
          std::vector<Expr> exprs;
          std::vector<int> of_graph;
          detail::emitted_by(g, metric, &exprs, &of_graph);
          for (const Expr x : exprs) values.append(py::reinterpret_steal<py::object>(checked(new_expr(x))));
          for (const int label : of_graph) labels.append(label);
        }
        return py::make_tuple(values, labels);
      });
}

}  // namespace espalier::python
