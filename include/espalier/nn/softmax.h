// Losses of one word of a large vocabulary that do not score all of its words.
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
// classes of √V words a loss costs O(√V). Classes may differ in size.
// classes.weight [classes, in], classes.bias [classes]; words.weight [words, in] and words.bias [words], by word, as of
// a Linear over all words. A class is scored in chunks of eight words, so that words of all classes run together.
struct ESPALIER_API ClassFactoredSoftmax {
  static constexpr size_t chunk = 8;
  using Chunk = std::array<Index, chunk>;

  std::vector<int> class_of, place_of;  // of each word: its class, and its number there
  std::vector<uint32_t> first;          // class c has the words members[first[c]] … members[first[c + 1] - 1]
  std::vector<int> members;
  Parameter class_weight, class_bias;
  Lookup weight, bias;
  Cell<Expr(Expr)> classes_cell;                    // h: log p of each class
  Cell<Expr(Expr, Chunk, Number)> scores_cell;      // h, words, how many of them count: their scores
  Cell<Expr(Expr, Chunk, Number)> sum_cell;         // the logarithm of the sum of their exponentials
  Cell<Expr(Expr, Index, Index, Many<Expr>)> cell;  // h, class, word, sums of the chunks of the class

  ClassFactoredSoftmax(Scope scope, int in, std::vector<int> class_of_words);  // a class, 0, 1, …, for each word
  ClassFactoredSoftmax(Scope scope, int in, int words);                        // √V classes of neighbours
  std::span<const int> words(int c, ESPALIER_AT) const;                        // of class c
  Expr loss(Expr h, int word, ESPALIER_AT) const;                              // -log p(word)
  Expr class_log_probabilities(Expr h, ESPALIER_AT) const;                     // log p(class), of each class
  Expr word_log_probabilities(Expr h, int c, ESPALIER_AT) const;               // log p(word | c), of each word of c
  std::vector<Expr> log_probabilities(Expr h, ESPALIER_AT) const;              // of each class's words; costs O(V)

  // A word drawn from p, in two rounds: a class, then one of its words. read(x) gives values:
  // [&](Expr x) { return engine.tensor(x); }. In a Task, two choices do the same for all examples together:
  // c = co_await sample(softmax.class_log_probabilities(h)), then one of words(c) by
  // co_await sample(softmax.word_log_probabilities(h, c)). The same example draws the same words in both ways.
  int sample(Graph& g, Expr h, const std::function<Tensor(Expr)>& read, ESPALIER_AT) const;

 private:
  template <class F>
  void each_chunk(int c, Where at, F f) const;
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
