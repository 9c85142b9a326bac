// SICK (Marelli et al. 2014): pairs of sentences and how related people find them, 1 … 5, with the dependency trees of
// the sentences, as Tai et al. (2015) prepared them: a folder with a.toks (words), a.parents (for each word the number
// of its parent from 1, 0 for the root), b.toks, b.parents and sim.txt, where line i of each belongs to pair i.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::sick {

struct Tree {
  struct Node {
    int word = 0;
    int parent = -1;                // of the root
    uint32_t first = 0, count = 0;  // its part of `lists`
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;      // in the order of the sentence
  std::vector<uint32_t> lists;  // the children of all nodes
  std::vector<uint32_t> order;  // all nodes, children before their parents, the root last

  uint32_t root() const { return order.back(); }
  std::span<const uint32_t> children(uint32_t node) const {
    return {lists.data() + nodes[node].first, nodes[node].count};
  }
  bool operator==(const Tree&) const = default;
};

struct Pair {
  Tree a, b;
  double similarity = 0;  // 1 … 5; 0 where it is not given
};

// The pairs of a folder, one after the other. Each file may be gzip, and end in .gz. The words are added to `words`,
// which outlives this, unless a pair is refused. DataError, with file:line:column: files of different lengths, words
// and parents that are not equally many, parents that are no tree of one root, a similarity that is none.
class ESPALIER_API Reader {
 public:
  Reader(const std::string& folder, Vocabulary& words);
  bool next(Pair&);

 private:
  Vocabulary& words_;
  std::vector<Lines> files_;
};
ESPALIER_API std::vector<Pair> read(const std::string& folder, Vocabulary& words);

// A pair in one line: words, parents, words, parents, and the similarity if you like, between tabs.
ESPALIER_API Pair parse(std::string_view line, Vocabulary& words, std::string_view name = "sick");

}  // namespace espalier::data::sick
