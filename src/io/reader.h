// Reads a file of tensors: validates the header on opening and reads data on demand. Supports safetensors and the
// state_dicts of torch.save, detected by the first bytes.
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
  // DataError if the checksum is wrong, the dtype cannot be converted to float, or the file was truncated since.
  std::vector<float> read(const Stored& tensor) const;
  bool has_checksums() const { return has_checksums_; }  // without them, damaged data is not detected
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
  mutable std::set<std::pair<uint64_t, uint64_t>> verified_;  // begin and end of byte ranges with a verified checksum
};

}  // namespace espalier::io
