// Vocabulary: words and their numbers, and how often each was met.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data {

class ESPALIER_API Vocabulary {
 public:
  // The word's number: 0, 1, 2 … in the order in which words are first met.
  int add(std::string_view word, uint64_t times = 1);
  int find(std::string_view word) const;  // -1: never met
  // From now on add() adds nothing and counts nothing, and gives size() for a word that was never met: what reads the
  // examples for training reads those that come later, too.
  void close() { closed_ = true; }

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& word(int number) const { return words_[static_cast<size_t>(number)]; }
  uint64_t count(int number) const { return counts_[static_cast<size_t>(number)]; }
  // All numbers, those met most often first; of equally many the one met earlier.
  std::vector<int> by_count() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
  };
  std::vector<std::string> words_;
  std::vector<uint64_t> counts_;
  bool closed_ = false;
  std::unordered_map<std::string, int, Hash, std::equal_to<>> numbers_;
};

}  // namespace espalier::data
