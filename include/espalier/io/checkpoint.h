// Checkpoints: all that a training needs to go on, and all that a prediction needs, in one safetensors file.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <espalier/param/parameters.h>

namespace espalier {
class Engine;
namespace optim {
class MovingAverage;
class Optimizer;
}  // namespace optim

namespace io {

using Meta = std::map<std::string, std::string>;  // settings, vocabulary, labels; keys with "espalier." are ours

// Where a training is: the minibatch that comes next, counted from 0 in its epoch.
struct Position {
  uint64_t epoch = 0, minibatch = 0;
  bool operator==(const Position&) const = default;
};

// What is saved or loaded; null is left out. Parameters lie in the file under their names, an optimiser's moments as
// "adam.m/words.weight", moving averages as "average/words.weight", all else in the metadata: the seed of the
// parameters, the optimiser's step and learning rate, the seed of the engine, the position. That is all there is to
// randomness: what is random follows from (seed, epoch, example, call, element).
struct Checkpoint {
  Parameters* params = nullptr;
  optim::Optimizer* optimizer = nullptr;
  Engine* engine = nullptr;
  Meta meta{};
  Position* position = nullptr;
  optim::MovingAverage* average = nullptr;  // not swapped in: the parameters are saved as they are
};

// The metadata of a file that was loaded, and what did not fit where that was allowed: names as they are in files.
struct ESPALIER_API Loaded : Meta {
  std::vector<std::string> missing;     // asked for, and not in the file
  std::vector<std::string> unexpected;  // in the file, and nothing here takes it
  std::vector<std::string> misshapen;   // in the file, in another shape than here
};

// Atomic: the path holds its old file or the new one, whole, also after a crash. DataError: cannot be written.
ESPALIER_API void save(const std::string& path, const Checkpoint& checkpoint);

// Fills what is given from the file and returns its metadata; `checkpoint.meta` is not read. The file may also be of
// PyTorch: torch.save(model.state_dict(), path), or its tensors as safetensors; names of its recurrent layers become
// ours (docs/saving.md). With strict, a tensor that is missing, has no parameter, or has another shape is a DataError
// that names it; without, what fits by name and shape is taken, and the rest is listed in the result. Whatever is
// thrown, nothing in memory has changed.
ESPALIER_API Loaded load(const std::string& path, const Checkpoint& checkpoint, bool strict = true);

}  // namespace io
}  // namespace espalier
