// A reader of files, on inputs that were sound once: what comes back is whole, or a DataError says why not. Nothing
// crashes, nothing else is thrown, and no length in a file decides how much memory is taken. The sanitizers see the
// rest.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace espalier::test {

using Strings = std::vector<std::string>;

struct Reader {
  Strings sound, pieces;                         // as for a Mutator
  std::function<void(const std::string&)> read;  // throws DataError, or asserts what must hold
  bool takes_all = false;                        // nothing is refused
  size_t memory = 1'000'000;                     // in bytes, beyond 1,000 for each of the input
};

// ESPALIER_FUZZ_INPUTS in the environment says how many inputs each reader gets.
void fuzz(const Reader& reader);

// The bytes of the file that `write` makes.
std::string written(const std::function<void(const std::string& path)>& write);

}  // namespace espalier::test
