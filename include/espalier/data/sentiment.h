// The Stanford Sentiment Treebank (Socher et al., EMNLP 2013): binary trees with a label 0 … 4 at every node, one a
// line, such as (3 (2 It) (4 (2 's) (4 great))). Read from the published files, or generated with the same statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::sentiment {

inline constexpr int labels = 5;

// Children stand before their parents, the root last: a loop over the nodes meets them in time.
struct Tree {
  struct Node {
    int word = -1;                 // of a leaf, else -1
    int label = 0;                 // 0 … 4
    uint32_t left = 0, right = 0;  // of an inner node
    bool is_leaf() const { return word >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // 2 · leaves - 1

  size_t leaves() const { return (nodes.size() + 1) / 2; }
  bool operator==(const Tree&) const = default;
};

// One tree a line; empty lines are skipped. Words are whatever stands between ASCII blanks and parentheses, as escaped
// in the file (-LRB-, \/); they are added to `words`, unless the line is refused. Anything else is a DataError:
// "train.txt:3:17: …". Nesting is limited by memory alone.
ESPALIER_API bool next(Lines&, Tree&, Vocabulary& words);
ESPALIER_API std::vector<Tree> read(Lines, Vocabulary& words);
inline std::vector<Tree> read(std::istream& lines, Vocabulary& words, std::string_view name = "sentiment") {
  return read(Lines(lines, name), words);
}
// The tree of one line.
ESPALIER_API Tree parse(std::string_view line, Vocabulary& words, std::string_view name = "sentiment");

// Trees with the lengths, depths, labels and word frequencies of the training file; the words are numbers below
// generated_words. The same on every platform.
inline constexpr int generated_words = 18'280;
ESPALIER_API std::vector<Tree> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::sentiment
