// Atomic writing of files: safetensors or text.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "io/header.h"

namespace espalier::io {

// Writes a temporary file next to the path, syncs it to disk, and renames it: a crash leaves either the old file or the
// new one. On failure throws DataError, leaves the old file unchanged and removes the temporary one.
void write_file(const std::string& path, std::span<const Piece> pieces, const std::map<std::string, std::string>& meta);
void write_text(const std::string& path, std::string_view text);

}  // namespace espalier::io
