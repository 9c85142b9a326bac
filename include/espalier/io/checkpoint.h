// Checkpoints: all that a training needs to go on, and all that a prediction needs, in one safetensors file.
#pragma once
#include <map>
#include <string>

#include <espalier/param/parameters.h>

namespace espalier {
class Engine;
namespace optim {
class Optimizer;
}

namespace io {

using Meta = std::map<std::string, std::string>;  // settings, vocabulary, labels; keys with "espalier." are ours

// What is saved or loaded; null is left out. Parameters lie in the file under their names, an optimiser's moments as
// "adam.m/words.weight" with its step and learning rate in the metadata. An engine has nothing to save: what is random
// follows from (seed, epoch, example, call, element).
struct Checkpoint {
  Parameters* params = nullptr;
  optim::Optimizer* optimizer = nullptr;
  Engine* engine = nullptr;
  Meta meta{};
};

// Atomic: the path holds its old file or the new one, whole, also after a crash. DataError: cannot be written.
ESPALIER_API void save(const std::string& path, const Checkpoint& checkpoint);

// Fills the parameters and the optimiser from the file and returns its metadata; `checkpoint.meta` is not read. With
// strict, a tensor that is missing, has no parameter, or has another shape is a DataError that names it; without, what
// fits by name and shape is taken. Whatever is thrown, nothing in memory has changed.
ESPALIER_API Meta load(const std::string& path, const Checkpoint& checkpoint, bool strict = true);

}  // namespace io
}  // namespace espalier
