#include "python/src/train/group.h"

#include "param/parameter_storage.h"
#include "python/src/errors.h"
#include "python/src/value/parameter.h"

namespace espalier::python {

Group::Group(const pybind11::list& parameters) {
  detail::ParametersState& state = *Scope(parameters_).root();
  for (const pybind11::handle& one : parameters) {
    if (!is_parameter(one.ptr())) throw_type_error("optimiser: the list holds an object that is no Parameter");
    const std::shared_ptr<detail::ParameterStorage>& storage = parameter_in(one.ptr()).storage();
    const std::string name = storage->name.text();
    if (name.empty())
      throw GraphError("a parameter " + str(storage->shape) +
                       " has no name; make it an attribute of a Module, and pass module.parameters()");
    const auto [known, is_new] = state.parameters.emplace(name, storage);
    state.made += is_new;  // moving averages look for new parameters when it grows
    if (!is_new && known->second != storage)
      throw GraphError("two parameters are named '" + name +
                       "'; make their modules attributes of one Module, and pass its parameters()");
  }
}

Group::~Group() { Scope(parameters_).root()->parameters.clear(); }  // the parameters belong to their modules

}  // namespace espalier::python
