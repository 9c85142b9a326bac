#include <espalier/io/safetensors.h>

#include <espalier/base/error.h>

#include "io/reader.h"
#include "io/writer.h"

namespace espalier::io {

File File::read(const std::string& path) {
  const Reader reader(path);
  File file;
  file.meta = reader.header().meta;
  for (const Stored& tensor : reader.header().tensors)
    file.tensors.emplace(tensor.name, Tensor{tensor.shape, reader.read(tensor)});
  return file;
}

void File::write(const std::string& path) const {
  std::vector<Piece> pieces;
  pieces.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) pieces.push_back({name, tensor.shape(), tensor.data()});
  write_file(path, pieces, meta);
}

bool has_checksums(const std::string& path) { return Reader(path).has_checksums(); }

}  // namespace espalier::io
