// Vocabulary: maps words to indices and counts their occurrences.
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
  // Adds `times` occurrences and returns the word's index: 0, 1, 2 … in order of first occurrence.
  int add(std::string_view word, uint64_t times = 1);
  int find(std::string_view word) const;  // -1: unknown word
  // Freezes the vocabulary: add() no longer adds or counts, and returns size() for an unknown word. The same reader
  // thus serves training and test data.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& word(int number) const { return words_[static_cast<size_t>(number)]; }
  uint64_t count(int number) const { return counts_[static_cast<size_t>(number)]; }
  // All indices by descending count; ties are in order of first occurrence.
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
