// espalier._core.Engine, and the batches it records. espalier/engine.py is what users see.
#include <espalier/engine/engine.h>

#include <pybind11/stl.h>

#include <thread>

#include <thread>

#include "bindings.h"
#include "convert.h"
#include "current.h"
#include "errors.h"
#include "expr.h"
#include "parameter.h"
#include "python_engine.h"
#include "record.h"
#include "results.h"
#include "tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

Device to_device(const std::string& text) {
  if (text == "cpu") return Device::cpu();
  if (text == "ref") return Device::ref();
  if (text == "null") return Device::null();
  if (text == "cuda") return Device::cuda();
  if (text.starts_with("cuda:")) {
    const std::string number = text.substr(5);
    if (!number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == std::string::npos)
      return Device::cuda(std::stoi(number));
  }
  throw DeviceError("engine: device '" + text + "' is unknown; it must be cpu, cuda, cuda:N, ref or null");
}
Policy to_policy(const std::string& text) {
  for (const Policy p : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic})
    if (text == name(p)) return p;
  throw Error("engine: policy '" + text + "' is unknown; it must be none, depth, agenda or auto");
}
Precision to_precision(const std::string& text) {
  if (text == "f32") return Precision::f32;
  if (text == "tf32") return Precision::tf32;
  if (text == "bf16") return Precision::bf16;
  throw Error("engine: precision '" + text + "' is unknown; it must be f32, tf32 or bf16");
}

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

// ---- results as arrays

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

py::object with_arrays(const py::handle& results, const std::vector<Ref>& values, const py::object& state_type) {
  size_t next = 0;
  return py::reinterpret_steal<py::object>(
      with_replaced(results.ptr(), {[&](Expr) {
                                      if (next == values.size())
                                        throw GraphError("the results were changed while they were computed");
                                      return values[next++];
                                    },
                                    [&](const Ref& h, const Ref& c) {
                                      return Ref::steal(checked(
                                          PyObject_CallFunctionObjArgs(state_type.ptr(), h.get(), c.get(), nullptr)));
                                    }})
          .release());
}

py::object infer(PythonEngine& self, const py::list& results, bool stack, const py::object& state_type) {
  Batch<Expr> batch;
  collect_exprs(results.ptr(), batch.results);
  if (stack)
    for (const py::handle one : results)
      if (!is_expr(one.ptr()))
        throw_type_error("infer: stack needs one Expr per example, and the function returned " + type_of(one.ptr()));
  std::vector<Tensor> values;
  {
    Engine& engine = self.get();
    const Unlocked unlocked;
    values = engine.infer(batch);
  }
  if (stack) return stacked(values);
  return with_arrays(results, arrays(values), state_type);
}

py::object value(PythonEngine& self, const py::handle& x, const py::object& state_type) {
  const std::vector<Expr> exprs = exprs_of(x, "value");
  std::vector<Tensor> values;
  {
    Engine& engine = self.get();
    const Unlocked unlocked;
    values = engine.tensors(exprs);
  }
  return with_arrays(x, arrays(values), state_type);
}

// ---- with engine.graph():

class GraphScope {
 public:
  explicit GraphScope(Graph graph) : state_(std::make_unique<State>(std::move(graph))) {}
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;
  ~GraphScope() {
    if (is_entered_elsewhere()) static_cast<void>(state_.release());  // that thread still refers to it
  }
  void enter() {
    if (state_->entered) throw GraphError("graph: it is already entered");
    state_->recording = {};
    state_->entered.emplace(Current{&state_->graph, nullptr, &state_->recording});
    state_->thread = std::this_thread::get_id();
  }
  void leave() {
    if (is_entered_elsewhere()) throw GraphError("graph: another thread entered it, and must leave it");
    state_->entered.reset();
  }
  Graph& graph() { return state_->graph; }

 private:
  struct State {
    Graph graph;
    Recording recording;
    std::thread::id thread;
    std::optional<Entered> entered;
    explicit State(Graph g) : graph(std::move(g)) {}
  };
  bool is_entered_elsewhere() const { return state_->entered && state_->thread != std::this_thread::get_id(); }
  std::unique_ptr<State> state_;
};

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

void add_engine(py::module_& m) {
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

  py::class_<GraphScope>(m, "GraphScope")
      .def("enter", &GraphScope::enter)
      .def("leave", &GraphScope::leave)
      .def_property_readonly("calls", [](GraphScope& s) { return s.graph().calls(); });

  py::class_<Branch>(m, "Branch").def(py::init<uint64_t>()).def("enter", &Branch::enter).def("leave", &Branch::leave);
  m.def("end_fork", &end_fork);

  py::class_<PythonEngine>(m, "Engine")
      .def(py::init([](const std::string& device, int threads, uint64_t seed, const std::string& policy,
                       const std::string& precision, size_t memory_limit, bool immediate, bool memoise, bool timed) {
             EngineOptions o;
             o.device = to_device(device);
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
