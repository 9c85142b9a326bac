#include <espalier/data/vocabulary.h>

#include <algorithm>
#include <numeric>

namespace espalier::data {

int Vocabulary::add(std::string_view word, uint64_t times) {
  auto it = numbers_.find(word);
  if (closed_) return it == numbers_.end() ? size() : it->second;
  if (it == numbers_.end()) {
    it = numbers_.emplace(word, size()).first;
    words_.emplace_back(word);
    counts_.push_back(0);
  }
  counts_[static_cast<size_t>(it->second)] += times;
  return it->second;
}

int Vocabulary::find(std::string_view word) const {
  const auto it = numbers_.find(word);
  return it == numbers_.end() ? -1 : it->second;
}

std::vector<int> Vocabulary::by_count() const {
  std::vector<int> numbers(words_.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::sort(numbers.begin(), numbers.end(),
            [&](int a, int b) { return count(a) != count(b) ? count(a) > count(b) : a < b; });
  return numbers;
}

}  // namespace espalier::data
