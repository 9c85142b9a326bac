#include <espalier/io/checkpoint.h>

#include <fmt/core.h>
#include <espalier/engine/engine.h>
#include <espalier/optim/moving_average.h>
#include <espalier/optim/optimizer.h>

#include "io/loading.h"
#include "io/writer.h"

namespace espalier::io {

void save(const std::string& path, const Checkpoint& checkpoint) {
  Meta meta = checkpoint.meta;
  for (const auto& [key, value] : meta)
    if (key.starts_with(ours))
      throw DataError(path + ": metadata key " + quote(key) + " is reserved; keys must not begin with '" +
                      std::string(ours) + "'");
  std::vector<Piece> pieces;
  detail::OptimizerState* optimizer = checkpoint.optimizer ? &checkpoint.optimizer->state() : nullptr;
  std::vector<Parameter> parameters;  // keeps them alive until they are written
  if (checkpoint.params) {
    parameters = checkpoint.params->all();
    if (parameters.empty()) throw DataError(path + ": there are no parameters; create the model before saving it");
  }
  for (const Parameter& p : parameters) {
    if (optimizer && is_moment(p.name(), optimizer->rule()))
      throw DataError(path + ": parameter " + quote(p.name()) +
                      " has a name that is reserved for the optimiser's state");
    if (checkpoint.average && p.name().starts_with(average_prefix))
      throw DataError(path + ": parameter " + quote(p.name()) + " has a name that is reserved for the moving averages");
    pieces.push_back({p.name(), p.shape(), p.storage()->data.host().data()});
  }
  if (optimizer) {
    optimizer->visit([&](const std::string& name, const Shape& shape, const float* data, size_t) {
      pieces.push_back({name, shape, data});
    });
    meta[rule_key] = optimizer->rule();
    meta[step_key] = std::to_string(optimizer->steps());
    meta[lr_key] = fmt::format("{}", optimizer->lr());
  }
  std::map<std::string, Tensor> averages;
  if (checkpoint.average) {
    if (checkpoint.average->swapped_in())
      throw Error(path + ": the moving averages are swapped in; call swap_out before save");
    averages = checkpoint.average->tensors();
    for (const auto& [name, tensor] : averages)
      pieces.push_back({average_prefix + name, tensor.shape(), tensor.data()});
    meta[average_key] = std::to_string(averages.size());
  }
  if (checkpoint.params) meta[parameters_seed_key] = std::to_string(Scope(*checkpoint.params).root()->origin->seed);
  if (checkpoint.engine) meta[engine_seed_key] = std::to_string(checkpoint.engine->seed());
  if (checkpoint.position) {
    meta[epoch_key] = std::to_string(checkpoint.position->epoch);
    meta[minibatch_key] = std::to_string(checkpoint.position->minibatch);
  }
  write_file(path, pieces, meta);
}

Loaded load(const std::string& path, const Checkpoint& checkpoint, bool strict) {
  const Reader file(path);
  Loading loading(file);
  if (checkpoint.params) loading.fit(*checkpoint.params);
  if (checkpoint.optimizer) loading.fit(checkpoint.optimizer->state());
  if (checkpoint.engine) loading.fit(*checkpoint.engine);
  if (checkpoint.position) loading.fit(*checkpoint.position);
  if (checkpoint.average) loading.fit(*checkpoint.average);
  if (strict) loading.require_all();
  Loaded loaded{file.header().meta, {}, {}, {}};
  std::erase_if(static_cast<Meta&>(loaded), [](const auto& item) { return item.first.starts_with(ours); });
  loading.list_misfits(loaded);
  loading.run();
  return loaded;
}

}  // namespace espalier::io
