// Losses of one word of a large vocabulary that do not score all of its words.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <espalier/expr/cell.h>

namespace espalier::nn {

// Goodman 2001: p(word) = p(class) p(word | class), a softmax over classes and one over the words of a class. With √V
// classes of √V words a loss costs O(√V).
// classes.weight [classes, in], classes.bias [classes]; words.weight [classes, most, in] and words.bias [classes,
// most], where most is the size of the largest class. Smaller ones are filled up with words that cannot be: words.shut
// [classes, most], frozen, adds -1e9 to their scores and 0 to others.
struct ESPALIER_API ClassFactoredSoftmax {
  std::vector<int> class_of, place_of;  // of each word: its class, and its number there
  Parameter class_weight, class_bias;
  Lookup weight, bias, shut;
  Cell<Expr(Expr, Index, Index)> cell;     // h, class, place
  Cell<Expr(Expr, Index)> class_of_words;  // h, class: log p of each of its words

  ClassFactoredSoftmax(Scope scope, int in, std::vector<int> class_of_words);  // a class, 0, 1, …, for each word
  ClassFactoredSoftmax(Scope scope, int in, int words);                        // √V classes of neighbours
  Expr loss(Expr h, int word, ESPALIER_AT) const;                              // -log p(word)
  std::vector<Expr> log_probabilities(Expr h, ESPALIER_AT) const;              // of each class's words; costs O(V)
};

// Morin & Bengio 2005, over a Huffman tree of the words' counts (Mikolov et al. 2013): a word is its path of
// turns from the root, p(word) = Π σ(± (w_n · h + b_n)) over the nodes n on it, + where it turns left. A loss costs
// O(log V) on average. weight [words - 1, in], bias [words - 1]; the root is the last node.
struct ESPALIER_API HierarchicalSoftmax {
  struct Turn {
    int node;
    float sign;
  };
  std::vector<Turn> turns;      // of all words
  std::vector<uint32_t> first;  // word w turns at turns[first[w]] … turns[first[w + 1] - 1], root last
  Lookup weight, bias;
  Cell<Expr(Index, Number)> turn;
  Cell<Expr(Expr, Many<Expr>)> cell;

  HierarchicalSoftmax(Scope scope, int in, std::span<const uint64_t> counts);
  std::span<const Turn> path(int word, ESPALIER_AT) const;
  Expr loss(Graph& g, Expr h, int word, ESPALIER_AT) const;  // -log p(word)
};

}  // namespace espalier::nn
