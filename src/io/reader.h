// A file of tensors open for reading: its header checked, its numbers read on demand. Safetensors, or what torch.save
// made of a state_dict; the first bytes tell which.
#pragma once
#include <string>
#include <vector>

#include "io/header.h"
#include "io/input_file.h"

namespace espalier::io {

class Reader {
 public:
  explicit Reader(const std::string& path);  // DataError

  const Header& header() const { return header_; }
  std::vector<float> read(const Stored& tensor) const;  // DataError: its dtype does not become float; the file shrank
  const std::string& path() const { return file_.path(); }

 private:
  void read_safetensors();
  template <class T, class Convert>
  void convert(std::vector<float>& to, uint64_t at, Convert to_float) const;

  InputFile file_;
  Header header_;
};

}  // namespace espalier::io
