// FileIdentity: notices that a training file has changed since a run began.
#pragma once
#include <string>

#include <espalier/espalier.h>

namespace espalier::app {

// The division into train, dev and test depends on the whole file: after a change, examples that were trained on could
// become dev or test.
class FileIdentity {
 public:
  // Reads the file's checksum. DataError: the file differs from the one in the restored checkpoint.
  void check(const std::string& path);

  void save(io::Meta& meta) const;     // after check(); nothing if no file was checked
  void restore(const io::Meta& meta);  // a checkpoint without an identity accepts every file

 private:
  std::string crc_;
};

}  // namespace espalier::app
