// SICK (Marelli et al. 2014): pairs of sentences with a human relatedness score of 1 … 5 and dependency trees. The
// format is that of Tai et al. (2015): a folder with a.toks (words), a.parents (for each word the number of its parent
// from 1; 0 for the root), b.toks, b.parents and sim.txt (scores). Line i of each file belongs to pair i.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::sick {

struct Tree {
  struct Node {
    int word = 0;
    int parent = -1;                // -1: the root
    uint32_t first = 0, count = 0;  // range of its children in `lists`
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;      // in sentence order
  std::vector<uint32_t> lists;  // the children of all nodes
  std::vector<uint32_t> order;  // all nodes, children before their parents: reversed breadth-first order, the root last

  uint32_t root() const { return order.back(); }
  std::span<const uint32_t> children(uint32_t node) const {
    return {lists.data() + nodes[node].first, nodes[node].count};
  }
  bool operator==(const Tree&) const = default;
};

struct Pair {
  Tree a, b;
  double similarity = 0;  // 1 … 5; 0: not given
};

// Reads the pairs of a folder one by one. Each file may be gzip-compressed and end in .gz. A valid pair adds its words
// to `words`, which must outlive the reader. DataError with file:line:column: files of different lengths, different
// numbers of words and parents, parents that do not form a tree with one root, or an invalid similarity.
class ESPALIER_API Reader {
 public:
  Reader(const std::string& folder, Vocabulary& words);
  bool next(Pair&);

 private:
  Vocabulary& words_;
  std::vector<Lines> files_;
};
ESPALIER_API std::vector<Pair> read(const std::string& folder, Vocabulary& words);

// Parses a pair from one tab-separated line: words, parents, words, parents, and optionally the similarity.
ESPALIER_API Pair parse(std::string_view line, Vocabulary& words, std::string_view name = "sick");

}  // namespace espalier::data::sick
