// record(): calls a Python function for each example of a minibatch.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/engine/recorded.h>
#include "python/src/value/object.h"

namespace espalier::python {

// A row of numbers that was given a name: espalier.input(array, name="x").
struct NamedInput {
  std::string name;
  size_t position = 0;  // of its example
  Expr value;
};

// What one call of record() collects.
struct Recording {
  std::vector<NamedInput> inputs;
  size_t position = 0;  // of the example that is being recorded
};

// The result of record(): the graphs, and per example the object that the function returned.
struct PythonBatch {
  PythonBatch() = default;
  PythonBatch(PythonBatch&&) = default;
  PythonBatch& operator=(PythonBatch&&) = default;
  PythonBatch(const PythonBatch&) = delete;
  PythonBatch& operator=(const PythonBatch&) = delete;

  std::vector<Graph> graphs;
  // The results of the examples that did not fail, in order; for kept recordings instead all their Exprs, and the
  // function that makes the results of them.
  std::vector<Ref> results;
  std::vector<Expr> values;
  std::vector<detail::ReplayedExample> replayed;
  Ref (*result_of)(const detail::ReplayedExample&) = nullptr;
  std::vector<size_t> positions;  // of these examples
  std::vector<Failure> failed;
  int rounds = 0;
  std::vector<NamedInput> inputs;
};

struct RecordArguments {
  PyObject* examples = nullptr;  // any sequence
  PyObject* function = nullptr;  // f(example): a result, or a coroutine
  std::vector<uint64_t> ids{};   // empty: the positions
  uint64_t epoch = 0;
  Mode mode = Mode::train;
  bool skip_bad = false;
  int max_rounds = 100'000;
};
// Holds the GIL only while it runs Python code. The first failure is thrown (with skip_bad: listed); a Python exception
// gets the note "example 3".
PythonBatch record(Engine& engine, const RecordArguments& arguments);

}  // namespace espalier::python
