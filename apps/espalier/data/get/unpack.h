// Reads downloaded files: archives (zip, tar) and compressed files (gzip, bzip2, xz).
#pragma once
#include <string>
#include <vector>

#include <espalier/base/error.h>

#include "data/draft.h"

namespace espalier::app {

// A download that arrived completely but has the wrong content: it is not kept.
struct ContentError : DataError {
  using DataError::DataError;
};

// A member of an archive and the file it is written to. `sum` becomes the SHA-256 checksum of its content.
struct Member {
  std::string path;  // in the archive; empty: the file itself, decompressed, is not an archive
  Draft* to;
  std::string sum{};
};

// Writes these members, and no others. `name` stands for the file in messages. ContentError: it is damaged, is not an
// archive, lacks a member, or a member is not a regular file. DataError: a file cannot be written.
void unpack(const std::string& path, const std::string& name, std::vector<Member>& members);

// The SHA-256 checksum of the decompressed content.
std::string content_sum(const std::string& path);

}  // namespace espalier::app
