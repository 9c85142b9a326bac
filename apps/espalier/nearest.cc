#include "nearest.h"

#include "base/edit_distance.h"

namespace espalier::app {

std::string nearest(std::string_view given, const std::vector<std::string>& words) {
  std::string found;
  size_t fewest = 3;  // more edits: the suggestion would be arbitrary
  for (const std::string& word : words) {
    const size_t n = edit_distance(given, word);
    if (n < fewest && n < word.size()) {
      fewest = n;
      found = word;
    }
  }
  return found;
}

}  // namespace espalier::app
