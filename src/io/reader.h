// A safetensors file open for reading: its header checked, its numbers read on demand.
#pragma once
#include <string>
#include <vector>

#include "io/header.h"

namespace espalier::io {

class Reader {
 public:
  explicit Reader(const std::string& path);  // DataError
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const Header& header() const { return header_; }
  std::vector<float> read(const Stored& tensor) const;  // DataError: its dtype does not become float; the file shrank
  const std::string& path() const { return path_; }

 private:
  void fill(char* to, uint64_t bytes, uint64_t at) const;
  template <class T, class Convert>
  void convert(std::vector<float>& to, const Stored& tensor, Convert to_float) const;

  std::string path_;
  int fd_ = -1;
  uint64_t data_at_ = 0;  // where the numbers begin
  Header header_;
};

}  // namespace espalier::io
