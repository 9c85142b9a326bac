// Files of named tensors: safetensors, compatible with Python's `safetensors`, and PyTorch's own format (read only).
#pragma once
#include <map>
#include <string>

#include <espalier/tensor/tensor.h>

namespace espalier::io {

struct ESPALIER_API File {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> meta;

  // Reads the whole file: safetensors, or torch.save(model.state_dict(), path), detected by the first bytes. F64, F16
  // and BF16 are converted to F32. An invalid file throws DataError with the file, the tensor, what was found and what
  // is needed: all lengths, offsets and checksums are verified. Pickles are parsed, never executed.
  static File read(const std::string& path);

  // Writes safetensors in F32, with checksums in the metadata (hidden by read()). Atomic: the path holds either the old
  // or the complete new file, even after a crash. DataError if it cannot be written.
  void write(const std::string& path) const;
};

// Whether the file has checksums, so that reading detects damage. Files written by espalier and by torch.save have
// them. Reads only the header. DataError if the header is invalid.
ESPALIER_API bool has_checksums(const std::string& path);

}  // namespace espalier::io
