// The members of a zip archive, and where their bytes lie. Only what torch.save writes: stored, not compressed, in one
// file; archives beyond 4 GiB (zip64) too.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "io/input_file.h"

namespace espalier::io::torch {

struct Member {
  uint64_t begin = 0, end = 0;  // bytes of the file
  uint32_t crc = 0;             // CRC-32 of these bytes, as the directory has it
};

// Every member lies in the file. DataError otherwise.
std::map<std::string, Member> list_members(const InputFile& file);

}  // namespace espalier::io::torch
