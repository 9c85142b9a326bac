// Reads the files of torch.save(model.state_dict(), path): a zip archive of a pickle, which describes the tensors, and
// of their data.
#pragma once
#include "io/header.h"
#include "io/input_file.h"

namespace espalier::io::torch {

// The tensors by name; begin and end are byte offsets in the file. Guarantees: names are distinct, all elements of all
// tensors are inside the file, and all tensors together have at most 64 times the bytes of the file (they may share
// data). Otherwise throws DataError.
Header read_state_dict(const InputFile& file);

}  // namespace espalier::io::torch
