// Draft: a file that appears under its name only when it is complete.
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace espalier::app {

// Writes a temporary file in the folder of `target`, which the destructor deletes unless install() has renamed it.
// DataError: the file cannot be written, with the reason of the operating system.
class Draft {
 public:
  explicit Draft(std::string target);  // creates missing folders
  ~Draft();
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&&) = delete;

  void write(std::string_view bytes);
  void close();                                      // flushes to disk
  void install();                                    // closes, and replaces `target`
  const std::string& path() const { return path_; }  // of the temporary file

 private:
  [[noreturn]] void fail() const;

  std::string target_, path_;
  std::FILE* file_ = nullptr;
};

}  // namespace espalier::app
