#include "io/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <espalier/base/file_error.h>

namespace espalier::io {
namespace {

namespace fs = std::filesystem;

// A temporary file next to `target`, deleted by the destructor unless it was renamed to the target.
class Draft {
 public:
  explicit Draft(std::string target) : target_(std::move(target)) {
    for (int attempt = 0; fd_ < 0; ++attempt) {
      path_ = target_ + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd_ < 0 && (errno != EEXIST || attempt == 1000)) fail("created");
    }
  }
  ~Draft() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void add(const void* data, size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t n = ::write(fd_, from, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("written");
      from += n;
      bytes -= static_cast<size_t>(n);
    }
  }

  void take_name(mode_t mode) {
    if (mode != 0 && ::fchmod(fd_, mode) != 0) fail("written");
    if (::fsync(fd_) != 0) fail("written");
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0) fail("written");
    if (std::rename(path_.c_str(), target_.c_str()) != 0) fail("replaced");
    path_.clear();
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw FileError(target_, what, errno); }

  std::string target_, path_;
  int fd_ = -1;
};

// RAII: blocks SIGXFSZ in this thread. Exceeding the file size limit (ulimit -f) is then an error of write() and does
// not kill the process, which would leave the draft behind.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~WithoutSizeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&only_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;

 private:
  sigset_t only_{}, before_{};
  bool was_pending_ = false;
};

// Syncs the folder, so that the rename reaches the disk. Errors are ignored: not every file system supports this, and
// the file itself is complete.
void sync_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// Calls `write` to fill a draft, which then replaces the file at the path.
template <class Write>
void replace_file(const std::string& path, const Write& write) {
  // A symbolic link is kept; its target is replaced.
  std::error_code none;
  std::string target = path;
  if (fs::is_symlink(path, none)) target = fs::weakly_canonical(path, none).string();
  if (target.empty()) target = path;
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) throw DataError(path + ": is not a regular file; it is not overwritten");

  const WithoutSizeSignal blocked;
  Draft draft(target);
  write(draft);
  draft.take_name(exists ? old.st_mode & 07777 : 0);
  sync_folder(target);
}

}  // namespace

void write_file(const std::string& path, std::span<const Piece> pieces,
                const std::map<std::string, std::string>& meta) {
  const std::string header = format_header(pieces, meta, path);
  replace_file(path, [&](Draft& draft) {
    const uint64_t length = header.size();
    draft.add(&length, sizeof length);
    draft.add(header.data(), header.size());
    for (const Piece& piece : pieces) draft.add(piece.data, static_cast<size_t>(piece.shape.size()) * sizeof(float));
  });
}

void write_text(const std::string& path, std::string_view text) {
  replace_file(path, [&](Draft& draft) { draft.add(text.data(), text.size()); });
}

}  // namespace espalier::io
