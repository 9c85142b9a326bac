// What torch.save(model.state_dict(), path) writes: a zip archive of a pickle, which names tensors, and of their
// numbers.
#pragma once
#include "io/header.h"
#include "io/input_file.h"

namespace espalier::io::torch {

// The tensors by name; begin and end are bytes of the file. What is returned holds: names are distinct, every number of
// every tensor lies in the file, and all tensors together have at most 64 times as many bytes as the file (they may
// share). DataError otherwise.
Header read_state_dict(const InputFile& file);

}  // namespace espalier::io::torch
