// Checkpoints: one safetensors file with everything needed to resume training or to run predictions.
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

using Meta = std::map<std::string, std::string>;  // settings, vocabulary, labels; keys with "espalier." are reserved

// The position in training: the next minibatch, counted from 0 within its epoch.
struct Position {
  uint64_t epoch = 0, minibatch = 0;
  bool operator==(const Position&) const = default;
};

// The objects to save or load; null objects are skipped. Tensors are stored under their names: parameters as
// "words.weight", an optimiser's moments as "adam.m/words.weight", moving averages as "average/words.weight".
// Everything else is metadata: the seed of the parameters, the optimiser's step and learning rate, the seed of the
// engine, the position. There is no other random state: all randomness is a function of (seed, epoch, example, call,
// element).
struct Checkpoint {
  Parameters* params = nullptr;
  optim::Optimizer* optimizer = nullptr;
  Engine* engine = nullptr;
  Meta meta{};
  Position* position = nullptr;
  optim::MovingAverage* average = nullptr;  // must not be swapped in, or the parameters would not hold their own values
};

// The metadata of a loaded file, and the names of the tensors that did not match; the lists are empty if strict.
struct ESPALIER_API Loaded : Meta {
  std::vector<std::string> missing;     // requested but not in the file
  std::vector<std::string> unexpected;  // in the file but not used
  std::vector<std::string> misshapen;   // in the file with a different shape
};

// Atomic: the path holds either the old or the complete new file, even after a crash. DataError if it cannot be
// written.
ESPALIER_API void save(const std::string& path, const Checkpoint& checkpoint);

// Fills the given objects from the file and returns its metadata; `checkpoint.meta` is not read. The file may also come
// from PyTorch: torch.save(model.state_dict(), path), or safetensors. Names of PyTorch's recurrent layers are
// translated (docs/saving.md). If strict, a tensor that is missing, has no parameter or has a different shape throws
// DataError with its name; otherwise tensors that match by name and shape are loaded and the rest is listed in the
// result. If anything is thrown, nothing in memory has changed.
ESPALIER_API Loaded load(const std::string& path, const Checkpoint& checkpoint, bool strict = true);

}  // namespace io
}  // namespace espalier
