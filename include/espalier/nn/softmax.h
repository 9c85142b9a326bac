// Losses for large vocabularies that do not compute the scores of all words.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <espalier/expr/cell.h>
#include <espalier/tensor/tensor.h>

namespace espalier::nn {

// Goodman 2001: p(word) = p(class) p(word | class), a softmax over classes and one over the words of a class. With √V
// classes of √V words a loss costs O(√V). Classes may differ in size. classes.weight [classes, in], classes.bias
// [classes]; words.weight [words, in] and words.bias [words] are indexed by word, as in a Linear over all words. A
// class is scored in chunks of eight words, so that classes of all sizes batch together.
struct ESPALIER_API ClassFactoredSoftmax {
  static constexpr size_t chunk = 8;
  using Chunk = std::array<Index, chunk>;

  std::vector<int> class_of, place_of;  // per word: its class, and its position in the class
  std::vector<uint32_t> first;          // class c has the words members[first[c]] … members[first[c + 1] - 1]
  std::vector<int> members;
  Parameter class_weight, class_bias;
  Lookup weight, bias;
  Cell<Expr(Expr)> classes_cell;                    // h -> log p of each class
  Cell<Expr(Expr, Chunk, Number)> scores_cell;      // h, words, count without padding -> scores
  Cell<Expr(Expr, Chunk, Number)> sum_cell;         // h, words, count without padding -> logsumexp of the scores
  Cell<Expr(Expr, Index, Index, Many<Expr>)> cell;  // h, class, word, sums of the class's chunks -> loss

  ClassFactoredSoftmax(Scope scope, int in, std::vector<int> class_of_words);  // the class (0, 1, …) of each word
  ClassFactoredSoftmax(Scope scope, int in, int words);                        // √V classes of adjacent words
  std::span<const int> words(int c, ESPALIER_AT) const;                        // of class c
  Expr loss(Expr h, int word, ESPALIER_AT) const;                              // -log p(word)
  Expr class_log_probabilities(Expr h, ESPALIER_AT) const;                     // log p(class) for all classes
  Expr word_log_probabilities(Expr h, int c, ESPALIER_AT) const;               // log p(word | c) for the words of c
  std::vector<Expr> log_probabilities(Expr h, ESPALIER_AT) const;              // one row per class; costs O(V)

  // Draws a word from p in two rounds: a class, then one of its words. read(x) must return the values of x:
  // [&](Expr x) { return engine.tensor(x); }. A Task draws for all examples together with
  // c = co_await sample(softmax.class_log_probabilities(h)), then
  // words(c)[co_await sample(softmax.word_log_probabilities(h, c))]. Both ways draw the same words for an example.
  int sample(Graph& g, Expr h, const std::function<Tensor(Expr)>& read, ESPALIER_AT) const;

 private:
  template <class F>
  void each_chunk(int c, Where at, F f) const;
};

// Morin & Bengio 2005, over a Huffman tree of the word counts (Mikolov et al. 2013): a word is a path from the root,
// p(word) = Π σ(± (w_n · h + b_n)) over the nodes n on the path, + if the path goes left. A loss costs O(log V) on
// average. weight [words - 1, in], bias [words - 1]; the root is the last node.
struct ESPALIER_API HierarchicalSoftmax {
  struct Branch {
    int node;
    float sign;
  };
  std::vector<Branch> branches;  // of all words
  std::vector<uint32_t> first;   // word w has branches[first[w]] … branches[first[w + 1] - 1], root last
  Lookup weight, bias;
  Cell<Expr(Index, Number)> branch;
  Cell<Expr(Expr, Many<Expr>)> cell;

  HierarchicalSoftmax(Scope scope, int in, std::span<const uint64_t> counts);
  std::span<const Branch> path(int word, ESPALIER_AT) const;
  Expr loss(Graph& g, Expr h, int word, ESPALIER_AT) const;  // -log p(word)
};

}  // namespace espalier::nn
