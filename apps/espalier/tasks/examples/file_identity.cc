#include "tasks/examples/file_identity.h"

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "io/checksum.h"

namespace espalier::app {

void FileIdentity::check(const std::string& path) {
  const io::InputFile file(path);
  const std::string crc = io::crc_text(io::crc32_of(file, 0, file.size()));
  if (!crc_.empty() && crc != crc_)
    throw DataError(
        fmt::format("{}: the file has changed since the run began, and with it the division into train, dev "
                    "and test; restore it, or train again",
                    path));
  crc_ = crc;
}

void FileIdentity::save(io::Meta& meta) const {
  if (!crc_.empty()) meta["training file"] = crc_;
}

void FileIdentity::restore(const io::Meta& meta) {
  const auto found = meta.find("training file");
  if (found != meta.end()) crc_ = found->second;
}

}  // namespace espalier::app
