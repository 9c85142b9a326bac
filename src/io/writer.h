// Writing a file, whole or not at all: safetensors, or a text.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "io/header.h"

namespace espalier::io {

// Writes beside the path, waits until the bytes are on the disk, and renames: a crash leaves the old file or the new
// one. DataError, with the old file as it was and nothing left beside it.
void write_file(const std::string& path, std::span<const Piece> pieces, const std::map<std::string, std::string>& meta);
void write_text(const std::string& path, std::string_view text);

}  // namespace espalier::io
