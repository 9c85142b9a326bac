// TreeFile: the trees of one file with the file's own vocabularies.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <espalier/data/labelled_tree.h>
#include <espalier/data/vocabulary.h>

namespace espalier::app {

struct TreeFile {
  std::string name;
  std::vector<data::labelled_tree::Tree> trees;
  data::Vocabulary labels, words;
};

// Sizes of a part of the data.
struct TreeCounts {
  size_t trees = 0, nodes = 0, labelled = 0;  // labelled: nodes with a class
  size_t words = 0, unknown = 0;              // leaves; leaves with a word that is not in the vocabulary
  size_t dropped = 0;                         // trees whose root has no class
  size_t left_out = 0;                        // trees beyond --limit, which the other numbers do not count
  std::vector<size_t> roots{};                // per class: trees with this class
};

// "8,544".
std::string with_commas(size_t n);

// "8,544 trees, 318,582 nodes", and the trees that are not counted.
std::string describe(const TreeCounts& counts);

// "all nodes", "the root only" or "41 % of the nodes".
std::string labelled_nodes(const TreeCounts& counts);

}  // namespace espalier::app
