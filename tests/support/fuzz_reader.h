// Fuzzing of file readers with mutated inputs: a reader returns a complete result or throws a DataError. It must not
// crash, throw anything else, or allocate memory by a length in the file. Sanitizers check the rest.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace espalier::test {

using Strings = std::vector<std::string>;

struct Reader {
  Strings valid, pieces;                         // as for a Mutator
  std::function<void(const std::string&)> read;  // throws DataError, or asserts properties of the result
  bool takes_all = false;                        // every input is valid
  size_t memory = 1'000'000;                     // limit in bytes, in addition to 1,000 per byte of input
};

// The environment variable ESPALIER_FUZZ_INPUTS sets the number of inputs per reader.
void fuzz(const Reader& reader);

// The bytes of the file that `write` creates.
std::string written(const std::function<void(const std::string& path)>& write);

}  // namespace espalier::test
