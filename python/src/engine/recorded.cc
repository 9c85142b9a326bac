// espalier._core.Recorded and Pipeline: examples that are recorded once, and replayed without the GIL.
#include <espalier/engine/pipeline.h>
#include <espalier/engine/recorded.h>

#include <map>

#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/engine/python_engine.h"
#include "python/src/engine/record.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/expr.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

// The kept parts of an example, besides its calls.
struct KeptResult {
  Ref result;                      // as the function returned it
  std::vector<Expr> values;        // its Exprs, relative to the example
  std::vector<NamedInput> inputs;  // the same
  KeptResult() = default;
  KeptResult(const KeptResult&) = delete;
  KeptResult& operator=(const KeptResult&) = delete;
  ~KeptResult() {  // evicted in any thread
    const PyGILState_STATE state = PyGILState_Ensure();
    result = Ref();
    PyGILState_Release(state);
  }
};
const KeptResult& kept_in(const detail::ReplayedExample& e) { return *static_cast<const KeptResult*>(e.result.get()); }

struct PythonRecorded {
  detail::RecordedCore core;
  explicit PythonRecorded(size_t memory_limit) : core({memory_limit}) {}
};

// The examples of a minibatch, recorded where they are missing.
detail::PinnedMinibatch pin(PythonEngine& engine, PythonRecorded& recorded, const py::sequence& examples,
                            const py::object& function, const Minibatch& minibatch, const RecordOptions& options) {
  std::map<uint64_t, size_t> position_of;
  for (size_t i = 0; i < minibatch.ids.size(); ++i) position_of.emplace(minibatch.ids[i], i);
  Engine& e = engine.get();
  try {
    Unlocked unlocked;
    return detail::PinnedMinibatch(
        e, recorded.core, minibatch, options,
        [&](Graph& g, uint64_t id, const detail::RecordedCore::Start& start,
            size_t& bytes) -> std::shared_ptr<const void> {
          const Locked locked(unlocked);
          Recording recording;
          const Entered entered({&g, nullptr, &recording});
          auto kept = std::make_shared<KeptResult>();
          const Ref example =
              Ref::steal(checked(PySequence_GetItem(examples.ptr(), static_cast<Py_ssize_t>(position_of.at(id)))));
          kept->result = Ref::steal(checked(PyObject_CallOneArg(function.ptr(), example.get())));
          if (PyCoro_CheckExact(kept->result.get())) {
            const Ref closed = Ref::steal(PyObject_CallMethod(kept->result.get(), "close", nullptr));
            throw_type_error(
                "Recorded: an async function waits for values, which may differ in every epoch, so its "
                "recording cannot be kept");
          }
          collect_exprs(kept->result.get(), kept->values);
          for (Expr& x : kept->values) x = start.relative(x);
          for (NamedInput& input : recording.inputs) {
            input.value = start.relative(input.value);
            kept->inputs.push_back(std::move(input));
          }
          bytes = sizeof(KeptResult) + kept->values.size() * (sizeof(Expr) + 48);  // 48: the object of an Expr
          return kept;
        });
  } catch (const PythonError& error) {
    error.restore();
    if (const auto position = e.failed_example()) add_note("example " + std::to_string(*position));
    throw_python();
  }
}

// A recorded minibatch whose results are made when they are read.
PythonBatch record_kept(PythonEngine& engine, PythonRecorded& recorded, const py::sequence& examples,
                        const py::object& function, const std::vector<uint64_t>& ids, uint64_t epoch, bool train,
                        bool skip_bad) {
  RecordOptions options;
  options.mode = train ? Mode::train : Mode::infer;
  options.skip_bad = skip_bad;
  options.epoch = epoch;
  const detail::PinnedMinibatch pinned = pin(engine, recorded, examples, function, {ids, epoch}, options);
  Engine& e = engine.get();
  Batch<detail::ReplayedExample> batch = [&] {
    const Unlocked unlocked;
    return detail::record(e, pinned, options);
  }();
  PythonBatch made;
  made.graphs = std::move(batch.shards);
  made.positions = std::move(batch.positions);
  made.failed = std::move(batch.failed);
  for (const detail::ReplayedExample& one : batch.results) {
    const KeptResult& kept = kept_in(one);
    for (const Expr& x : kept.values) made.values.push_back(detail::absolute(x, one.first));
    for (const NamedInput& input : kept.inputs)
      made.inputs.push_back({input.name, 0, detail::absolute(input.value, one.first)});
  }
  made.replayed = std::move(batch.results);
  made.result_of = [](const detail::ReplayedExample& one) {
    const KeptResult& kept = kept_in(one);
    const Expr* next = kept.values.data();
    return with_replaced(kept.result.get(),
                         {[&](Expr) { return Ref::steal(checked(new_expr(detail::absolute(*next++, one.first)))); },
                          [](const Ref& h, const Ref& c) {
                            return Ref::steal(checked(new_state({expr_in(h.get()), expr_in(c.get())})));
                          }});
  };
  return made;
}

// Kept minibatches, prepared by threads while the device runs.
class PythonPipeline {
 public:
  PythonPipeline(PythonEngine& engine, int threads) : engine_(engine), core_(engine.get(), threads, Mode::train) {}

  void push(PythonRecorded& recorded, const py::sequence& examples, const py::object& function,
            const std::vector<uint64_t>& ids, uint64_t epoch, float scale, bool mean) {
    RecordOptions options;
    options.epoch = epoch;
    const auto pinned = std::make_shared<const detail::PinnedMinibatch>(
        pin(engine_, recorded, examples, function, {ids, epoch}, options));
    const auto replayed = std::make_shared<std::vector<detail::ReplayedExample>>(pinned->minibatch().ids.size());
    detail::PipelineRequest request;
    request.minibatch = pinned->minibatch();
    request.one = [pinned, replayed](Graph& g, size_t i) -> std::unique_ptr<detail::Waiting> {
      (*replayed)[i] = pinned->replay(g, i);
      return nullptr;
    };
    request.values_of = [replayed](size_t i, std::vector<Expr>& values) {
      const detail::ReplayedExample& one = (*replayed)[i];  // none failed: pin() throws
      for (const Expr& x : kept_in(one).values) values.push_back(detail::absolute(x, one.first));
    };
    request.scale = scale;
    request.mean = mean;
    const Unlocked unlocked;
    core_.push(std::move(request), {});
  }
  std::unique_ptr<Gradients> backward() {
    if (core_.size() == 0) throw GraphError("pipeline: backward without a minibatch; push one first");
    engine_.get();  // throws in a forked child
    const Unlocked unlocked;
    return std::make_unique<Gradients>(core_.backward());
  }
  size_t size() const { return core_.size(); }

 private:
  PythonEngine& engine_;
  detail::PipelineCore core_;
};

}  // namespace

void add_recorded(py::module_& m) {
  py::class_<PythonRecorded>(m, "Recorded")
      .def(py::init<size_t>())
      .def("forget", [](PythonRecorded& r) { r.core.forget(); })
      .def("forget_one", [](PythonRecorded& r, uint64_t id) { r.core.forget(id); })
      .def_property_readonly("kept", [](const PythonRecorded& r) { return r.core.size(); })
      .def_property_readonly("bytes", [](const PythonRecorded& r) { return r.core.bytes(); })
      .def_property_readonly("hits", [](const PythonRecorded& r) { return r.core.hits(); })
      .def_property_readonly("misses", [](const PythonRecorded& r) { return r.core.misses(); });
  m.def("record_kept", &record_kept);
  py::class_<PythonPipeline>(m, "Pipeline")
      .def(py::init<PythonEngine&, int>(), py::keep_alive<1, 2>())
      .def("push", &PythonPipeline::push)
      .def("backward", &PythonPipeline::backward)
      .def_property_readonly("size", &PythonPipeline::size);
}

}  // namespace espalier::python
