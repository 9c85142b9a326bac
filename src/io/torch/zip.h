// The members of a zip archive and their byte ranges. Supports only the archives of torch.save: a single file with
// uncompressed members, which may exceed 4 GiB (zip64).
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

// Guarantees: all members are inside the file, and names are distinct. Otherwise throws DataError.
std::map<std::string, Member> list_members(const InputFile& file);

}  // namespace espalier::io::torch
