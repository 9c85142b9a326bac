// Part: an unfinished download. The file X.part holds the bytes, X.part.state the address and the version of the file
// that they belong to.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::app {

class Part {
 public:
  // Opens `path`, and keeps its bytes if they belong to `url`. DataError: it cannot be written, or another process
  // downloads it.
  Part(std::string path, std::string url);
  ~Part();  // removes an empty part
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  uint64_t size() const { return size_; }
  // The validator (RFC 9110: strong ETag or Last-Modified) of the version that the bytes belong to; empty: unknown, so
  // that the download cannot be continued.
  const std::string& version() const { return version_; }

  void restart(const std::string& version);  // drops the bytes
  void write(std::string_view bytes);
  void remove();

 private:
  [[noreturn]] void fail() const;

  std::string path_, url_, version_;
  int file_ = -1;
  uint64_t size_ = 0;
};

}  // namespace espalier::app
