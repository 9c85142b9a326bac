// The Stanford Sentiment Treebank (Socher et al., EMNLP 2013): binary trees with a label 0 … 4 at every node, one tree
// per line, such as (3 (2 It) (4 (2 's) (4 great))). Reads the published files or generates trees with their
// statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::sentiment {

inline constexpr int labels = 5;

// Children precede their parents and the root is the last node, so a loop over `nodes` visits children first.
struct Tree {
  struct Node {
    int word = -1;                 // leaves: word index; inner nodes: -1
    int label = 0;                 // 0 … 4
    uint32_t left = 0, right = 0;  // inner nodes only
    bool is_leaf() const { return word >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // 2 · leaves - 1

  size_t leaves() const { return (nodes.size() + 1) / 2; }
  bool operator==(const Tree&) const = default;
};

// One tree per line; empty lines are skipped. Words are delimited by ASCII whitespace and parentheses and keep the
// escapes of the file (-LRB-, \/). A valid line adds its words to `words`. A malformed line is a DataError,
// "train.txt:3:17: …", and adds no word. Only memory limits the nesting depth.
ESPALIER_API bool next(Lines&, Tree&, Vocabulary& words);
ESPALIER_API std::vector<Tree> read(Lines, Vocabulary& words);
inline std::vector<Tree> read(std::istream& lines, Vocabulary& words, std::string_view name = "sentiment") {
  return read(Lines(lines, name), words);
}
// Parses one line.
ESPALIER_API Tree parse(std::string_view line, Vocabulary& words, std::string_view name = "sentiment");

// Synthetic trees with the lengths, depths, labels and word frequencies of the training file. Words are indices below
// generated_words. The same on every platform.
inline constexpr int generated_words = 18'280;
ESPALIER_API std::vector<Tree> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::sentiment
