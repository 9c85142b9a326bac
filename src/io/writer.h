// Writing a safetensors file, whole or not at all.
#pragma once
#include <map>
#include <span>
#include <string>

#include "io/header.h"

namespace espalier::io {

// Writes beside the path, waits until the bytes are on the disk, and renames: a crash leaves the old file or the new
// one. DataError, with the old file as it was and nothing left beside it.
void write_file(const std::string& path, std::span<const Piece> pieces, const std::map<std::string, std::string>& meta);

}  // namespace espalier::io
