// Sums: the checksums of downloaded files, in the file SHA256SUMS of the data folder. Its format is that of sha256sum.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace espalier::app {

class Sums {
 public:
  explicit Sums(std::string folder);  // reads SHA256SUMS, if it exists. DataError: an invalid line

  std::string find(const std::string& file) const;  // empty: not recorded
  void set(const std::string& file, const std::string& sum);
  void write() const;

 private:
  std::string path_;
  std::vector<std::pair<std::string, std::string>> sums_;  // file, sum; in the order of the lines
};

}  // namespace espalier::app
