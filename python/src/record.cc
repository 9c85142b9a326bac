#include "record.h"

#include <optional>

#include "convert.h"
#include "current.h"
#include "errors.h"
#include "expr.h"

namespace espalier::python {

// What a function returned for an example: a result, which is stored already, or a coroutine.
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

// The rest of an `async def` example.
class CoroutineExample final : public detail::Waiting {
 public:
  CoroutineExample(Unlocked& unlocked, Graph& graph, Recording& recording, size_t position, Ref coroutine, Ref& result)
      : unlocked_(unlocked),
        graph_(graph),
        recording_(recording),
        position_(position),
        coroutine_(std::move(coroutine)),
        result_(result) {}
  ~CoroutineExample() override {
    const Locked locked(unlocked_);
    if (coroutine_ && !ended_) {  // cancels it: its finally blocks run
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
    PyObject* yielded = nullptr;
    PySendResult status = PyIter_Send(coroutine_.get(), Py_None, &yielded);
    for (;;) {
      const Ref value = Ref::steal(yielded);
      if (status != PYGEN_NEXT) ended_ = true;
      if (status == PYGEN_ERROR) throw PythonError();
      if (status == PYGEN_RETURN) {
        result_ = value;
        return;
      }
      if (request(value.get(), requested)) return;
      // An awaitable of another library cannot be waited for here.
      const std::string text = "an example awaits " + type_of(value.get()) +
                               "; it can await Exprs, espalier.gather and other coroutines of such awaits";
      yielded = PyObject_CallMethod(coroutine_.get(), "throw", "(N)",
                                    checked(PyObject_CallFunction(PyExc_TypeError, "s", text.c_str())));
      status = yielded != nullptr ? PYGEN_NEXT : PYGEN_ERROR;
    }
  }

 private:
  // Adds the values that were yielded: an Expr, or a tuple of such, from gather().
  static bool request(PyObject* yielded, std::vector<detail::RequestedValue>& requested) {
    if (is_expr(yielded)) {
      requested.push_back({expr_in(yielded), Where{}});
      return true;
    }
    if (!PyTuple_Check(yielded) || PyTuple_GET_SIZE(yielded) == 0) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(yielded); ++i)
      if (!request(PyTuple_GET_ITEM(yielded, i), requested)) return false;
    return true;
  }

  Unlocked& unlocked_;
  Graph& graph_;
  Recording& recording_;
  size_t position_;
  Ref coroutine_;
  Ref& result_;
  bool ended_ = false;
};

}  // namespace

PythonBatch record(Engine& engine, const RecordArguments& a) {
  const Items examples(a.examples, {"record", "the first argument"});
  std::vector<size_t> positions(examples.size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  std::vector<Ref> results(examples.size());
  PythonBatch batch;
  Recording recording;
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
          recording.position = i;
          Ref result = Ref::steal(PyObject_CallOneArg(a.function, examples[i]));
          if (!result) throw PythonError();
          if (PyCoro_CheckExact(result.get()))
            return {std::make_unique<CoroutineExample>(unlocked, g, recording, i, std::move(result), results[i])};
          results[i] = std::move(result);
          return {};
        },
        options));
  } catch (const PythonError& e) {
    e.restore();
    if (const auto position = engine.failed_example()) add_note("example " + std::to_string(*position));
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
