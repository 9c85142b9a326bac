#include "data/draft.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <espalier/base/error.h>

namespace espalier::app {

Draft::Draft(std::string target) : target_(std::move(target)), path_(target_ + ".tmp" + std::to_string(getpid())) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(target_).parent_path(), failed);
  if (failed) throw DataError(fmt::format("{}: cannot be written: {}", target_, failed.message()));
  file_ = std::fopen(path_.c_str(), "wbe");
  if (file_ == nullptr) {
    path_.clear();
    fail();
  }
}

Draft::Draft(Draft&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      file_(std::exchange(other.file_, nullptr)) {}

Draft::~Draft() {
  if (file_ != nullptr) std::fclose(file_);
  if (!path_.empty()) unlink(path_.c_str());
}

void Draft::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void Draft::close() {
  if (file_ == nullptr) return;
  const bool written = std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
  const int reason = errno;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!written) errno = reason;
  if (!written || !closed) fail();
}

void Draft::install() {
  close();
  if (std::rename(path_.c_str(), target_.c_str()) != 0) fail();
  path_.clear();
}

void Draft::fail() const { throw DataError(fmt::format("{}: cannot be written: {}", target_, std::strerror(errno))); }

}  // namespace espalier::app
