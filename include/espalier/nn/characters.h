// Character-level word embeddings, which also cover unknown words. Letters are integers.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include <espalier/nn/embedding.h>
#include <espalier/nn/recurrent/lstm.h>

namespace espalier::nn {

// Ling et al. 2015, section 3: [last h of a forward LSTM; last h of a backward LSTM], [2 hidden].
// letters.weight [letters, dim]; forward.* and backward.* as in LSTM.
struct ESPALIER_API CharLSTM {
  Embedding letters;
  LSTM forward, backward;
  CharLSTM(Scope scope, int letters, int dim, int hidden);
  Expr operator()(Graph& g, std::span<const int> word, ESPALIER_AT) const;  // IndexError if the word is empty
};

// dos Santos & Zadrozny 2014, character-level embeddings: the maximum over time of W [c_t; …; c_t+Width-1] + b,
// [filters]. letters.weight [letters + 1, dim], weight [filters, Width dim], bias [filters]. The last row of letters is
// the padding before and after a word, so that each letter occurs at every position of the window. Each window is one
// call, which batches over words of all lengths; a window that occurs twice in a minibatch is computed once.
template <int Width = 3>
struct CharCNN {
  static_assert(Width >= 1 && Width <= 31, "CharCNN: a window must have 1 to 31 letters");
  using Window = std::array<Index, static_cast<size_t>(Width)>;
  Lookup letters;
  Parameter weight, bias;
  Cell<Expr(Window)> window;
  Cell<Expr(Many<Expr>)> over_time;

  CharCNN(Scope p, int letter_count, int dim, int filters)
      : letters((p / "letters").add_lookup("weight", letter_count + 1, {dim})),
        weight(p.add("weight", {filters, Width * dim})),
        bias(p.add("bias", {filters}, init::constant(0))),
        window(p.cell("window", {{}},
                      [&](Window w) {
                        std::array<Expr, static_cast<size_t>(Width)> rows;
                        for (size_t i = 0; i < rows.size(); ++i) rows[i] = lookup(letters, w[i]);
                        return linear(concat(rows), weight, bias);
                      })),
        over_time(p.cell("over_time", {{filters}}, [](Many<Expr> windows) { return max_rows(windows); })) {}

  Expr operator()(Graph& g, std::span<const int> word, ESPALIER_AT) const {
    const auto edge = static_cast<std::ptrdiff_t>(Width - 1), n = static_cast<std::ptrdiff_t>(word.size());
    const int letter_count = letters.shape()[0] - 1;
    for (int letter : word)
      if (letter < 0 || letter >= letter_count)
        throw IndexError("CharCNN: letter " + std::to_string(letter) + " is out of range; it must be 0…" +
                         std::to_string(letter_count - 1) + str(at));
    std::vector<Expr> windows;
    for (std::ptrdiff_t first = -edge; first < n; ++first) {
      Window w;
      for (std::ptrdiff_t i = 0; i < Width; ++i)
        w[static_cast<size_t>(i)] =
            first + i < 0 || first + i >= n ? letter_count : word[static_cast<size_t>(first + i)];
      windows.push_back(window(g, w, at));
    }
    return over_time(g, windows, at);
  }
};

}  // namespace espalier::nn
