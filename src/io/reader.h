// A file of tensors open for reading: its header checked, its numbers read on demand. Safetensors, or what torch.save
// made of a state_dict; the first bytes tell which.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/header.h"
#include "io/input_file.h"

namespace espalier::io {

class Reader {
 public:
  explicit Reader(const std::string& path);  // DataError

  const Header& header() const { return header_; }
  // DataError: its checksum is wrong; its dtype does not become float; the file shrank.
  std::vector<float> read(const Stored& tensor) const;
  bool has_checksums() const { return has_checksums_; }  // otherwise damage to the numbers is not noticed
  const std::string& path() const { return file_.path(); }

 private:
  void read_safetensors();
  void take_checksums();
  void verify(const Stored& tensor) const;
  template <class T, class Convert>
  void convert(std::vector<float>& to, uint64_t at, Convert to_float) const;

  InputFile file_;
  Header header_;
  bool has_checksums_ = false;
  mutable std::set<std::pair<uint64_t, uint64_t>> verified_;  // begin and end of bytes whose checksum was right
};

}  // namespace espalier::io
