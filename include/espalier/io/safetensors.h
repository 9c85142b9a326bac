// Tensors by name in a safetensors file: what Python's `safetensors` reads and writes.
#pragma once
#include <map>
#include <string>

#include <espalier/tensor/tensor.h>

namespace espalier::io {

struct ESPALIER_API File {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> meta;

  // Everything in the file. F32 as it is; F64, F16 and BF16 are converted. DataError, with the file, the tensor, what
  // was found and what is needed, where the file is not sound: every length and offset in it is checked before it is
  // used.
  static File read(const std::string& path);

  // As F32. Atomic: the path holds its old file or the new one, whole, also after a crash. DataError: cannot be
  // written.
  void write(const std::string& path) const;
};

}  // namespace espalier::io
