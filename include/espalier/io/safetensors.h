// Tensors by name in a file: safetensors, which Python's `safetensors` reads and writes, and PyTorch's own files.
#pragma once
#include <map>
#include <string>

#include <espalier/tensor/tensor.h>

namespace espalier::io {

struct ESPALIER_API File {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> meta;

  // Everything in the file, which is safetensors or of torch.save(model.state_dict(), path): the first bytes tell. F32
  // as it is; F64, F16 and BF16 are converted. DataError, with the file, the tensor, what was found and what is needed,
  // where the file is not valid: every length and offset in it is checked before it is used, and every checksum. A
  // pickle is read, never run.
  static File read(const std::string& path);

  // As safetensors of F32, with checksums in the metadata, which read() does not return. Atomic: the path holds its old
  // file or the new one, whole, also after a crash. DataError: cannot be written.
  void write(const std::string& path) const;
};

// Whether the file has checksums, so that damage to it is found when it is read: files written by espalier and by
// torch.save have them. Reads the header only. DataError: the header is not valid.
ESPALIER_API bool has_checksums(const std::string& path);

}  // namespace espalier::io
