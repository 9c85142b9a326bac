// Files: parameters and checkpoints, as espalier::io writes and reads them.
#include <espalier/engine/engine.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>

#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/train/optimizer.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

using Meta = std::map<std::string, std::string>;

void save(const std::string& path, const py::list& parameters, PythonOptimizer* optimizer, PythonAverage* average,
          const Meta& meta, const std::optional<std::pair<uint64_t, uint64_t>>& position) {
  Group group(parameters);
  io::Position at;
  if (position) at = {position->first, position->second};
  const io::Checkpoint checkpoint{&group.all(),
                                  optimizer == nullptr ? nullptr : &optimizer->optimizer,
                                  nullptr,
                                  meta,
                                  position ? &at : nullptr,
                                  average == nullptr ? nullptr : &average->average};
  const Unlocked unlocked;
  io::save(path, checkpoint);
}

py::tuple load(const std::string& path, const py::list& parameters, PythonOptimizer* optimizer, PythonAverage* average,
               bool strict) {
  Group group(parameters);
  const io::Checkpoint checkpoint{&group.all(), optimizer == nullptr ? nullptr : &optimizer->optimizer, nullptr, {},
                                  nullptr,      average == nullptr ? nullptr : &average->average};
  io::Loaded loaded;
  io::Position at;
  {
    const Unlocked unlocked;
    loaded = io::load(path, checkpoint, strict);
    io::load(path, {.position = &at}, false);  // not strict: a file may have none
  }
  return py::make_tuple(static_cast<const Meta&>(loaded), loaded.missing, loaded.unexpected, loaded.misshapen,
                        std::make_pair(at.epoch, at.minibatch));
}

py::tuple read_file(const std::string& path) {
  io::File file;
  {
    const Unlocked unlocked;
    file = io::File::read(path);
  }
  py::dict tensors;
  for (auto& [name, tensor] : file.tensors)
    tensors[py::str(name)] = py::reinterpret_steal<py::object>(checked(new_tensor(std::move(tensor))));
  return py::make_tuple(tensors, file.meta);
}

void write_file(const std::string& path, const py::dict& tensors, const Meta& meta) {
  io::File file;
  file.meta = meta;
  for (const auto& [name, value] : tensors) {
    Floats numbers;
    const Asked asked{"save_file", "a tensor"};
    const Ref values = is_parameter(value.ptr()) ? Ref::steal(PyObject_CallMethod(value.ptr(), "tensor", nullptr))
                                                 : Ref::share(value.ptr());
    read_floats(checked(values.get()), asked, numbers);
    file.tensors.emplace(to_string(name.ptr(), {"save_file", "a name"}),
                         Tensor(numbers.shape, {numbers.data, numbers.data + numbers.size()}));
  }
  const Unlocked unlocked;
  file.write(path);
}

}  // namespace

void add_files(py::module_& m) {
  m.def("save", &save);
  m.def("load", &load);
  m.def("read_file", &read_file);
  m.def("write_file", &write_file);
}

}  // namespace espalier::python
