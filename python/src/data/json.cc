// The module `json`: reads records, infers their schema, and makes models of schemas.
#include <espalier/json.h>

#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/data/data.h"
#include "python/src/data/json_value.h"
#include "python/src/function/function.h"
#include "python/src/value/parameter.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

using json::Json;

Json record_at(const Items& records, size_t i) {
  try {
    return to_json(records[i]);
  } catch (Error& e) {
    e.append(" (record " + std::to_string(i) + ")");
    throw;
  }
}

py::object schema_of(const std::vector<Json>& samples) {
  const Json schema = unlocked([&] { return json::infer_schema(samples); });
  return py::reinterpret_steal<py::object>(to_python(schema));
}

py::object infer_schema(const py::handle& records) {
  const Items items(records.ptr(), {"infer_schema", "the records"});
  std::vector<Json> samples;
  samples.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) samples.push_back(record_at(items, i));
  return schema_of(samples);
}

Examples stream(const Text& path) {
  auto records = std::make_shared<json::Records>(text::Lines(path.bytes));
  return {[records]() -> py::object {
    Json record;
    return records->next(record) ? py::reinterpret_steal<py::object>(to_python(record)) : py::object();
  }};
}

// A model with the parameters it owns. Their names have no prefix until Python sets one.
struct Model {
  Parameters parameters{0, Drawn::late};
  json::JsonBlock block;
};

// What a native module of Python is made of: see modules.h.
py::tuple make_model(const py::handle& schema, int hidden, int max_categories, int max_letters) {
  auto model = std::make_shared<Model>();
  model->block = json::from_schema(Scope(model->parameters), to_json(schema.ptr()),
                                   {hidden, max_categories, max_letters}, Where{});
  py::list parameters;
  for (const Parameter& p : model->parameters.all())
    parameters.append(py::make_tuple(p.name(), py::reinterpret_steal<py::object>(checked(new_parameter(p)))));
  Ref prefix = wrap("prefix", "text", "", [model](const std::string& text) -> PyObject* {
    model->parameters.set_prefix(text);
    Py_RETURN_NONE;
  });
  Ref call = wrap("json.Model", "record", "", [model](PyObject* record) {
    Graph& graph = current_graph("json.Model");
    const Json value = to_json(record);
    return model->block(graph, value);
  });
  py::dict methods;
  methods[""] = py::reinterpret_steal<py::object>(call.release());
  return py::make_tuple(py::reinterpret_steal<py::object>(prefix.release()), parameters, methods);
}

}  // namespace

void add_json(py::module_& m) {
  py::module_ json = m.def_submodule("json");
  json.def("infer_schema", &infer_schema);
  json.def("infer_schema_of_file", [](const Text& path) {
    return schema_of(unlocked([&] { return json::read_records(text::Lines(path.bytes)); }));
  });
  json.def("stream", &stream);
  json.def("model", &make_model);
}

}  // namespace espalier::python
