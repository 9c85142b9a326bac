#include "data/get/part.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <espalier/base/error.h>

#include "data/draft.h"

namespace espalier::app {

Part::Part(std::string path, std::string url) : path_(std::move(path)), url_(std::move(url)) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), failed);
  if (failed) throw DataError(fmt::format("{}: cannot be written: {}", path_, failed.message()));
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail();
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    close(std::exchange(file_, -1));
    if (reason == EWOULDBLOCK) throw DataError(path_ + ": another process downloads this file");
    errno = reason;
    fail();
  }
  std::string stored;
  if (std::ifstream state(path_ + ".state"); std::getline(state, stored) && stored == url_)
    std::getline(state, version_);
  struct stat status{};
  if (fstat(file_, &status) != 0) fail();
  size_ = static_cast<uint64_t>(status.st_size);
  if (version_.empty() && size_ > 0) restart("");
}

Part::~Part() {
  if (file_ < 0) return;
  if (size_ == 0) remove();
  close(file_);
}

void Part::restart(const std::string& version) {
  if (ftruncate(file_, 0) != 0) fail();
  size_ = 0;
  version_ = version;
  Draft state(path_ + ".state");
  state.write(url_ + "\n" + version_ + "\n");
  state.install();
}

void Part::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void Part::remove() {
  unlink(path_.c_str());
  unlink((path_ + ".state").c_str());
}

void Part::fail() const { throw DataError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno))); }

}  // namespace espalier::app
