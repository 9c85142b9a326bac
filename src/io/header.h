// The tensors and metadata of a file, and the safetensors header, a JSON object:
// {"name": {"dtype", "shape", "data_offsets"}, …, "__metadata__": {…}}
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/tensor/shape.h>
#include "io/dtype.h"

namespace espalier::io {

inline constexpr uint64_t max_header_bytes = 100'000'000;  // as in the reference implementation

// A tensor stored in bytes begin … end - 1 of a file.
struct Stored {
  std::string name;
  const Dtype* dtype = nullptr;
  Shape shape;
  uint64_t begin = 0, end = 0;
  std::vector<uint64_t> strides{};  // in elements, one per axis; empty: row-major
  // The CRC-32 of bytes begin … end - 1 of the file, which contain the tensor: in an archive, the whole member.
  struct Checksum {
    uint64_t begin = 0, end = 0;
    uint32_t crc = 0;
  };
  std::optional<Checksum> checksum{};
};

struct Header {
  std::vector<Stored> tensors;
  std::map<std::string, std::string> meta;
};

// Parses the header in `text`, which is followed by `data_bytes` bytes of data; begin and end count from there.
// Guarantees: names are distinct, every tensor has the number of bytes that its dtype and shape need, and the tensors,
// in file order, fill the data without gap or overlap. Otherwise throws DataError, beginning with the path.
Header parse_header(std::string_view text, uint64_t data_bytes, const std::string& path);

// A float tensor to be written.
struct Piece {
  std::string name;
  Shape shape;
  const float* data = nullptr;
};
// Includes the checksums of the pieces and of the header itself (io/checksum.h). Padded with spaces so that the 8 bytes
// of length plus the text are a multiple of 8. DataError if a name is not UTF-8 or occurs twice.
std::string format_header(std::span<const Piece> pieces, const std::map<std::string, std::string>& meta,
                          const std::string& path);

// A name from a file, safe to print: quoted, shortened, with control characters and invalid UTF-8 as \xNN.
std::string quote(std::string_view name);

}  // namespace espalier::io
