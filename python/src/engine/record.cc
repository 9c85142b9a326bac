#include "python/src/engine/record.h"

#include <optional>

#include "python/src/engine/current.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/expr.h"

namespace espalier::python {

// The outcome of calling the function for one example: its result is stored already, or it returned a coroutine.
struct ExampleResult {
  std::unique_ptr<detail::Waiting> coroutine;
};

}  // namespace espalier::python

namespace espalier::detail {

template <>
struct Recording<python::ExampleResult> {
  using type = std::monostate;
  static constexpr bool waits = true;
  static std::unique_ptr<Waiting> start(Graph&, python::ExampleResult&& r, std::optional<type>& into) {
    into.emplace();  // a failed example is left out by record() itself
    return std::move(r.coroutine);
  }
};

}  // namespace espalier::detail

namespace espalier::python {
namespace {

// An exception that is no Exception, such as KeyboardInterrupt: it ends the recording, also with skip_bad.
struct Interrupt {
  std::optional<PythonError> error;
  size_t position = 0;

  void check() const {
    if (error) throw *error;
  }
  // Throws the Python exception that is set.
  [[noreturn]] void raise(size_t example) {
    const bool ends = PyErr_ExceptionMatches(PyExc_Exception) == 0;
    const PythonError raised;
    if (ends) {
      error = raised;
      position = example;
    }
    throw raised;
  }
};

// The iterator to advance for a result: a coroutine, or that of another awaitable. Null for other objects.
Ref to_await(const Ref& returned) {
  PyObject* const object = returned.get();
  if (PyCoro_CheckExact(object)) return returned;
  if (PyAsyncGen_CheckExact(object) || PyGen_CheckExact(object))
    throw_type_error("record: the function is a generator; it must return its result, not yield it");
  const PyAsyncMethods* const methods = Py_TYPE(object)->tp_as_async;
  if (is_expr(object) || methods == nullptr || methods->am_await == nullptr) return {};
  return Ref::steal(checked(methods->am_await(object)));
}

// The rest of an `async def` example.
class CoroutineExample final : public detail::Waiting {
 public:
  CoroutineExample(Unlocked& unlocked, Graph& graph, Recording& recording, Interrupt& interrupt, size_t position,
                   Ref coroutine, Ref& result)
      : unlocked_(unlocked),
        graph_(graph),
        recording_(recording),
        interrupt_(interrupt),
        position_(position),
        coroutine_(std::move(coroutine)),
        result_(result) {}
  ~CoroutineExample() override {
    const Locked locked(unlocked_);
    if (coroutine_ && !ended_ && PyObject_HasAttrString(coroutine_.get(), "close") != 0) {
      // Cancels it: its finally blocks run.
      const Entered entered({&graph_, nullptr, &recording_});
      const Ref closed = Ref::steal(PyObject_CallMethod(coroutine_.get(), "close", nullptr));
      if (!closed) PyErr_WriteUnraisable(coroutine_.get());
    }
    coroutine_ = Ref();
  }

  void advance(std::vector<detail::RequestedValue>& requested) override {
    const Locked locked(unlocked_);
    const Entered entered({&graph_, nullptr, &recording_});
    recording_.position = position_;
    interrupt_.check();
    Ref yielded;
    PySendResult status = send(yielded);
    for (;;) {
      if (status != PYGEN_NEXT) ended_ = true;
      if (status == PYGEN_ERROR) {
        explain_missing_loop();
        interrupt_.raise(position_);
      }
      if (status == PYGEN_RETURN) {
        result_ = yielded;
        return;
      }
      const size_t before = requested.size();
      const PyObject* const foreign = request(yielded.get(), requested);
      if (foreign == nullptr) return;
      requested.resize(before);
      status = refuse(foreign, yielded);
    }
  }

 private:
  PySendResult send(Ref& yielded) {
    PyObject* next = nullptr;
    const PySendResult status = PyIter_Send(coroutine_.get(), Py_None, &next);
    yielded = Ref::steal(next);
    return status;
  }

  // asyncio raises its own error outside of asyncio.run(), before the engine sees what is awaited.
  static void explain_missing_loop() {
    if (PyErr_ExceptionMatches(PyExc_RuntimeError) == 0) return;
    const PythonError raised;
    const Ref text = Ref::steal(PyObject_Str(raised.value()));
    const bool is_missing = text && PyUnicode_CompareWithASCIIString(text.get(), "no running event loop") == 0;
    PyErr_Clear();
    raised.restore();
    if (is_missing)
      add_note(
          "the engine runs the example, not asyncio: it can await Exprs, espalier.gather and coroutines of such "
          "awaits");
  }

  // Throws a TypeError into the coroutine: an awaitable of another library cannot be waited for here.
  PySendResult refuse(const PyObject* foreign, Ref& yielded) {
    const Ref module = Ref::steal(checked(PyImport_ImportModule("espalier._foreign")));
    const Ref error = Ref::steal(
        checked(PyObject_CallMethod(module.get(), "error", "OO", coroutine_.get(), const_cast<PyObject*>(foreign))));
    yielded = Ref::steal(PyObject_CallMethod(coroutine_.get(), "throw", "O", error.get()));
    if (yielded) return PYGEN_NEXT;
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) return PYGEN_ERROR;
    const PythonError stop;  // it has caught the error and returned
    yielded = Ref::steal(checked(PyObject_GetAttrString(stop.value(), "value")));
    return PYGEN_RETURN;
  }

  // Adds the values that were yielded: an Expr, or a tuple of such, from gather(). Returns what is neither, or null.
  static const PyObject* request(PyObject* yielded, std::vector<detail::RequestedValue>& requested) {
    if (is_expr(yielded)) {
      requested.push_back({expr_in(yielded), Where{}});
      return nullptr;
    }
    if (!PyTuple_Check(yielded) || PyTuple_GET_SIZE(yielded) == 0) return yielded;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(yielded); ++i)
      if (const PyObject* const foreign = request(PyTuple_GET_ITEM(yielded, i), requested)) return foreign;
    return nullptr;
  }

  Unlocked& unlocked_;
  Graph& graph_;
  Recording& recording_;
  Interrupt& interrupt_;
  size_t position_;
  Ref coroutine_;
  Ref& result_;
  bool ended_ = false;
};

}  // namespace

PythonBatch record(Engine& engine, const RecordArguments& a) {
  const Ref iterator = Ref::steal(PyObject_GetIter(a.examples));
  if (!iterator) {
    PyErr_Clear();
    throw_type_error("record: the first argument is " + type_of(a.examples) + "; it must be a list");
  }
  // A copy, because the function may change the list.
  const Ref copy = Ref::steal(checked(PySequence_Tuple(iterator.get())));
  const Items examples(copy.get(), {"record", "the first argument"});
  std::vector<size_t> positions(examples.size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  std::vector<Ref> results(examples.size());
  PythonBatch batch;
  Recording recording;
  Interrupt interrupt;
  RecordOptions options;
  options.mode = a.mode;
  options.ids = a.ids;
  options.epoch = a.epoch;
  options.skip_bad = a.skip_bad;
  options.max_rounds = a.max_rounds;
  options.serial = true;
  std::optional<Batch<std::monostate>> recorded;
  try {
    Unlocked unlocked;
    recorded.emplace(engine.record(
        positions,
        [&](Graph& g, size_t i) -> ExampleResult {
          const Locked locked(unlocked);
          const Entered entered({&g, nullptr, &recording});
          interrupt.check();
          recording.position = i;
          Ref result = Ref::steal(PyObject_CallOneArg(a.function, examples[i]));
          if (!result) interrupt.raise(i);
          if (Ref coroutine = to_await(result))
            return {std::make_unique<CoroutineExample>(unlocked, g, recording, interrupt, i, std::move(coroutine),
                                                       results[i])};
          results[i] = std::move(result);
          return {};
        },
        options));
  } catch (const PythonError& e) {
    const auto position = interrupt.error ? interrupt.position : engine.failed_example();
    (interrupt.error ? *interrupt.error : e).restore();
    if (position) add_note("example " + std::to_string(*position));
    throw_python();
  }
  if (interrupt.error) {  // with skip_bad
    interrupt.error->restore();
    add_note("example " + std::to_string(interrupt.position));
    throw_python();
  }
  batch.graphs = std::move(recorded->shards);
  batch.failed = std::move(recorded->failed);
  batch.rounds = recorded->rounds;
  for (const size_t i : positions) {
    const bool failed =
        std::any_of(batch.failed.begin(), batch.failed.end(), [i](const Failure& f) { return f.example == i; });
    if (failed) continue;
    batch.results.push_back(std::move(results[i]));
    batch.positions.push_back(i);
  }
  for (NamedInput& input : recording.inputs)
    if (std::binary_search(batch.positions.begin(), batch.positions.end(), input.position))
      batch.inputs.push_back(std::move(input));
  return batch;
}

}  // namespace espalier::python
