// The arc-hybrid transition system, which builds dependency trees word by word with a stack (Kuhlmann, Gómez-Rodríguez
// and Satta 2011), and its dynamic oracle, which gives the cost of each move (Goldberg and Nivre 2013). No network.
#pragma once
#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

namespace espalier::models {

// The buffer holds the words 0 … n-1, followed by n, an artificial root. A sentence takes 2 n moves: each word is
// pushed once, and popped once when it gets its head. Exactly one word has head n.
class ArcHybrid {
 public:
  // shift: pushes the next word; left, right: pops the top, whose head is the next word (left) or the one below (right)
  enum Move { shift, left, right };

  explicit ArcHybrid(int words) : heads_(static_cast<size_t>(words), none) {}

  static constexpr int none = -1;
  int words() const { return static_cast<int>(heads_.size()); }
  int next() const { return next_; }  // words(): all words were pushed
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

  // Requires can(move). Returns the word that got its head, or none after a shift.
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

  // The number of gold arcs that are reachable before this move but not after it. Exact for projective trees with one
  // root, an estimate for others. O(words).
  int cost(Move move, std::span<const int> right_heads) const {
    const auto head = [&](int word) { return right_heads[static_cast<size_t>(word)]; };
    int lost = 0;
    // After a shift, the head of the pushed word is the word below it or a later word, and no word below is its child.
    if (move == shift) {
      for (const int word : stack_) lost += head(word) == next_ || (word == head(next_) && word != stack_.back());
      return lost + (head(next_) == words() && depth() > 0);  // only the lowest word can be the root
    }
    const int word = stack_.back(), its = head(word);
    for (int i = next_; i < words(); ++i) lost += head(i) == word;
    if (its == words()) return lost + (depth() == 1 && next_ < words());
    return lost + (move == left ? its == from_top(1) || its > next_ : its >= next_);
  }

  // The move with the lowest cost; ties prefer popping over shifting. From the initial state of a projective tree it
  // leads to that tree, like a static oracle.
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
