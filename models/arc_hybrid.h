// Arc-hybrid: dependency trees built word by word with a stack (Kuhlmann, Gómez-Rodríguez and Satta 2011), and the
// dynamic oracle that knows what each move costs (Goldberg and Nivre 2013). Plain integers; no network.
#pragma once
#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

namespace espalier::models {

// The words 0 … n-1 lie in a buffer, and behind them n, which stands for what is above the root. A sentence takes 2 n
// moves: each word is pushed once and popped once, when it gets its head. One word alone hangs on n.
class ArcHybrid {
 public:
  enum Move { shift, left, right };  // push the next word; pop one that hangs on the next word, or on the one below

  explicit ArcHybrid(int words) : heads_(static_cast<size_t>(words), none) {}

  static constexpr int none = -1;
  int words() const { return static_cast<int>(heads_.size()); }
  int next() const { return next_; }  // words(): all were pushed
  int from_top(int k) const { return depth() > k ? stack_[stack_.size() - 1 - static_cast<size_t>(k)] : none; }
  const std::vector<int>& heads() const { return heads_; }

  bool done() const { return next_ == words() && stack_.empty(); }
  bool can(Move move) const {
    switch (move) {
      case shift:
        return next_ < words();
      case left:
        return next_ < words() ? depth() > 0 : depth() == 1;
      case right:
        return depth() > 1;
    }
    return false;
  }

  // can(move). The word that got its head; none if one was pushed.
  int apply(Move move) {
    assert(can(move));
    if (move == shift) {
      stack_.push_back(next_++);
      return none;
    }
    const int word = stack_.back();
    stack_.pop_back();
    heads_[static_cast<size_t>(word)] = move == left ? next_ : stack_.back();
    return word;
  }

  // How many arcs of the right tree can be made before this move and not after it. Exact for projective trees with one
  // root, an estimate for others. O(words).
  int cost(Move move, std::span<const int> right_heads) const {
    const auto head = [&](int word) { return right_heads[static_cast<size_t>(word)]; };
    int lost = 0;
    if (move == shift) {  // from now on its head is the word below or one to its right, and no word below hangs on it
      for (const int word : stack_) lost += head(word) == next_ || (word == head(next_) && word != stack_.back());
      return lost + (head(next_) == words() && depth() > 0);  // only the lowest word can be the root
    }
    const int word = stack_.back(), its = head(word);
    for (int i = next_; i < words(); ++i) lost += head(i) == word;
    if (its == words()) return lost + (depth() == 1 && next_ < words());
    return lost + (move == left ? its == from_top(1) || its > next_ : its >= next_);
  }

  // What costs least; of equally good ones words are popped as soon as can be. From a projective tree's beginning it
  // leads to that tree: the static oracle.
  Move oracle(std::span<const int> right_heads) const {
    Move best = shift;
    int least = words() + 1;
    for (const Move move : {left, right, shift})
      if (can(move) && cost(move, right_heads) < least) least = cost(best = move, right_heads);
    return best;
  }

 private:
  int depth() const { return static_cast<int>(stack_.size()); }

  std::vector<int> stack_, heads_;
  int next_ = 0;
};

}  // namespace espalier::models
