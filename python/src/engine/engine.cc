// espalier._core.Engine; users see espalier/engine.py.
#include <espalier/engine/engine.h>

#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/engine/graph_scope.h"
#include "python/src/engine/options.h"
#include "python/src/engine/python_engine.h"
#include "python/src/engine/record.h"
#include "python/src/engine/values.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/expr.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

py::dict counters(const PythonEngine& self) {
  const Counters c = self.get().counters();
  py::dict d;
#define ESPALIER_COUNTER(name) d[#name] = c.name;
  ESPALIER_COUNTER(rounds)
  ESPALIER_COUNTER(calls)
  ESPALIER_COUNTER(steps)
  ESPALIER_COUNTER(launches)
  ESPALIER_COUNTER(gathers)
  ESPALIER_COUNTER(copied_bytes)
  ESPALIER_COUNTER(weight_products)
  ESPALIER_COUNTER(shared_calls)
  ESPALIER_COUNTER(recomputed_calls)
  ESPALIER_COUNTER(arena_growths)
  ESPALIER_COUNTER(arena_bytes)
  ESPALIER_COUNTER(product_flops)
  ESPALIER_COUNTER(record_s)
  ESPALIER_COUNTER(schedule_s)
  ESPALIER_COUNTER(plan_s)
  ESPALIER_COUNTER(gather_s)
  ESPALIER_COUNTER(product_s)
  ESPALIER_COUNTER(elementwise_s)
  ESPALIER_COUNTER(other_s)
  ESPALIER_COUNTER(accumulate_s)
  ESPALIER_COUNTER(persistent_s)
  ESPALIER_COUNTER(update_s)
#undef ESPALIER_COUNTER
  return d;
}

}  // namespace

void add_engine(py::module_& m) {
  py::class_<GraphScope>(m, "GraphScope")
      .def("enter", &GraphScope::enter)
      .def("leave", &GraphScope::leave)
      .def_property_readonly("calls", [](GraphScope& s) { return s.graph().calls(); });

  py::class_<PythonEngine>(m, "Engine")
      .def(py::init([](const std::string& device, int threads, uint64_t seed, const std::string& policy,
                       const std::string& precision, size_t memory_limit, bool immediate, bool memoise, bool timed) {
             EngineOptions o;
             o.device = to_device(device, "Engine");
             o.threads = threads;
             o.seed = seed;
             o.policy = to_policy(policy);
             o.precision = to_precision(precision);
             o.memory_limit = memory_limit;
             o.immediate = immediate;
             o.memoise = memoise;
             o.timed = timed;
             return std::make_unique<PythonEngine>(o);
           }),
           py::arg("device"), py::arg("threads"), py::arg("seed"), py::arg("policy"), py::arg("precision"),
           py::arg("memory_limit"), py::arg("immediate"), py::arg("memoise"), py::arg("timed"))
      .def("record",
           [](PythonEngine& self, const py::object& examples, const py::object& f, const std::vector<uint64_t>& ids,
              uint64_t epoch, bool train, bool skip_bad, int max_rounds) {
             return record(self.get(), {examples.ptr(), f.ptr(), ids, epoch, train ? Mode::train : Mode::infer,
                                        skip_bad, max_rounds});
           })
      .def("infer", &infer)
      .def("value", &value)
      .def("backward",
           [](PythonEngine& self, const py::handle& losses, float scale) {
             const std::vector<Expr> all = exprs_of(losses, "backward");
             Engine& engine = self.get();
             const Unlocked unlocked;
             return std::make_unique<Gradients>(engine.backward(all, scale));
           })
      .def("backward_of_replayed",
           [](PythonEngine& self, const PythonBatch& batch, float scale) {
             Engine& engine = self.get();
             const Unlocked unlocked;
             return std::make_unique<Gradients>(engine.backward(batch.values, scale));
           })
      .def("watch", [](PythonEngine& self, const py::handle& x) { self.get().watch(to_expr(x.ptr(), {"watch", "x"})); })
      .def("graph",
           [](PythonEngine& self, bool train) {
             return std::make_unique<GraphScope>(self.get().graph(train ? Mode::train : Mode::infer));
           })
      .def("dry_run",
           [](PythonEngine& self, const PythonBatch& b) {
             DryRun all;
             for (const Graph& g : b.graphs) all += self.get().dry_run(g);
             return all;
           })
      .def("dry_run", [](PythonEngine& self, GraphScope& s) { return self.get().dry_run(s.graph()); })
      .def("explain",
           [](PythonEngine& self, const PythonBatch& b) {
             std::string text;
             for (size_t s = 0; s < b.graphs.size(); ++s) {
               if (b.graphs.size() > 1)
                 text += "shard " + std::to_string(s + 1) + " of " + std::to_string(b.graphs.size()) + ": ";
               text += self.get().explain(b.graphs[s]);
             }
             return text;
           })
      .def("explain", [](PythonEngine& self, GraphScope& s) { return self.get().explain(s.graph()); })
      .def("rerun",
           [](PythonEngine& self, const PythonBatch& b) {
             Engine& engine = self.get();
             const Unlocked unlocked;
             for (const Graph& g : b.graphs) engine.rerun(g);
           })
      .def("wait",
           [](PythonEngine& self) {
             Engine& engine = self.get();
             const Unlocked unlocked;
             engine.wait();
           })
      .def("profile", [](PythonEngine& self) { return self.get().profile(); })
      .def("set_timed", [](PythonEngine& self, bool on) { self.get().set_timed(on); })
      .def("counters", &counters)
      .def("reset_counters", [](PythonEngine& self) { self.get().reset_counters(); })
      .def_property(
          "seed", [](PythonEngine& self) { return self.seed(); },  // also in a forked child, for repr
          [](PythonEngine& self, uint64_t seed) { self.get().set_seed(seed); });
}

}  // namespace espalier::python
