// The members of a zip archive and their byte ranges. Supports only what torch.save writes: one uncompressed file,
// including archives beyond 4 GiB (zip64).
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "io/input_file.h"

namespace espalier::io::torch {

struct Member {
  uint64_t begin = 0, end = 0;  // bytes of the file
  uint32_t crc = 0;             // CRC-32 of these bytes, from the directory
};

// All members are inside the file. Otherwise throws DataError.
std::map<std::string, Member> list_members(const InputFile& file);

}  // namespace espalier::io::torch
