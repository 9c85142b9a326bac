// What a file of tensors holds, and how safetensors say it, in a JSON object:
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

// A tensor in a file: bytes begin … end - 1 of it.
struct Stored {
  std::string name;
  const Dtype* dtype = nullptr;
  Shape shape;
  uint64_t begin = 0, end = 0;
  std::vector<uint64_t> strides{};  // how many numbers lie between neighbours along each axis; none: row-major
  // The CRC-32 of bytes begin … end - 1 of the file, among which those of the tensor are: all of a member of an
  // archive.
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

// The header in `text`, which `data_bytes` bytes of numbers follow; begin and end count from there. What is returned
// holds: names are distinct, every tensor has the bytes of its dtype and shape, and the tensors, in the order of their
// bytes, fill them without gap or overlap. DataError otherwise, beginning with the path.
Header parse_header(std::string_view text, uint64_t data_bytes, const std::string& path);

// Float tensors to be written, one after the other.
struct Piece {
  std::string name;
  Shape shape;
  const float* data = nullptr;
};
// With the checksums of the pieces and of the header itself (io/checksum.h), and padded with spaces so that 8 bytes of
// length and the text are a multiple of 8. DataError: a name is not UTF-8 or given twice.
std::string format_header(std::span<const Piece> pieces, const std::map<std::string, std::string>& meta,
                          const std::string& path);

// A name from a file, safe to print: in quotes, shortened, control characters and broken UTF-8 as \xNN.
std::string quote(std::string_view name);

}  // namespace espalier::io
