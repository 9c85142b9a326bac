// Folder: a temporary folder for one test. Functions that read and write files as bytes.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace espalier::io {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "espalier_io_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  size_t files() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

// A file in memory, for tests with many files.
class FileInMemory {
 public:
  FileInMemory() : fd_(::memfd_create("espalier", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("memfd_create");
  }
  ~FileInMemory() { ::close(fd_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void put(const std::string& bytes) {
    if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("pwrite");
  }

 private:
  int fd_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A safetensors file with this header and these bytes of data.
inline std::string file_of(const std::string& header, const std::string& numbers = {}) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + numbers;
}

// Given the bytes of a file of save(), returns them without checksums, as other programs would write them.
inline std::string without_checksums(const std::string& bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::string header = bytes.substr(sizeof length, length);
  for (const std::string key : {"header", "tensors"}) {
    const size_t begin = header.find("\"espalier.crc32." + key + "\":\"");
    const size_t end = header.find('"', begin + std::strlen("\"espalier.crc32.\":\"") + key.size()) + 1;
    header.erase(begin, end - begin + (header.at(end) == ',' ? 1 : 0));
  }
  return file_of(header, bytes.substr(sizeof length + length));
}

template <class T>
std::string raw(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(T)};
}

// The message of an exception of this type; other exceptions propagate.
template <class E, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace espalier::io
