#include <espalier/nn/characters.h>

namespace espalier::nn {

CharLSTM::CharLSTM(Scope p, int letter_count, int dim, int hidden)
    : letters(p / "letters", letter_count, dim),
      forward(p / "forward", dim, hidden),
      backward(p / "backward", dim, hidden) {}

Expr CharLSTM::operator()(Graph& g, std::span<const int> word, Where at) const {
  if (word.empty()) throw IndexError("CharLSTM: the word is empty; at least one letter is needed" + str(at));
  std::vector<Expr> rows;
  rows.reserve(word.size());
  for (int letter : word) rows.push_back(letters(g, letter, at));
  State left, right;
  for (size_t i = 0; i < rows.size(); ++i) {
    left = forward(rows[i], left, at);
    right = backward(rows[rows.size() - 1 - i], right, at);
  }
  return concat(Operand(left.h, at), Operand(right.h, at));
}

}  // namespace espalier::nn
