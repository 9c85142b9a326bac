// The arc-hybrid transition system: its oracle against exhaustive search.
#include "models/arc_hybrid.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace espalier::models {
namespace ESPALIER_FILE {

constexpr std::array moves{ArcHybrid::shift, ArcHybrid::left, ArcHybrid::right};
using Heads = std::vector<int>;

bool is_tree(const Heads& heads) {  // with one root, whose head is n
  const int n = static_cast<int>(heads.size());
  for (int word = 0; word < n; ++word) {
    int at = word;
    for (int steps = 0; at != n; at = heads[static_cast<size_t>(at)])
      if (++steps > n) return false;
  }
  return std::count(heads.begin(), heads.end(), n) == 1;
}

bool arcs_cross(const Heads& heads) {
  const int n = static_cast<int>(heads.size());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const auto [a1, a2] = std::minmax({a, heads[static_cast<size_t>(a)]});
      const auto [b1, b2] = std::minmax({b, heads[static_cast<size_t>(b)]});
      if (a1 < b1 && b1 < a2 && a2 < b2) return true;
    }
  return false;
}

std::vector<Heads> projective_trees(int words) {
  std::vector<Heads> found;
  Heads heads(static_cast<size_t>(words), 0);
  for (;;) {
    if (is_tree(heads) && !arcs_cross(heads)) found.push_back(heads);
    size_t i = 0;
    while (i < heads.size() && ++heads[i] > words) heads[i++] = 0;
    if (i == heads.size()) return found;
  }
}

// The maximum number of correct arcs reachable from here; checks every cost on the way.
int max_arcs(const ArcHybrid& state, const Heads& right) {
  if (state.done()) {
    EXPECT_TRUE(is_tree(state.heads()));
    int arcs = 0;
    for (size_t i = 0; i < right.size(); ++i) arcs += state.heads()[i] == right[i];
    return arcs;
  }
  std::array<int, 3> after{-1, -1, -1};
  for (const auto move : moves)
    if (state.can(move)) {
      ArcHybrid next = state;
      next.apply(move);
      after[move] = max_arcs(next, right);
    }
  const int most = *std::max_element(after.begin(), after.end());
  EXPECT_GE(most, 0) << "no move is possible";
  for (const auto move : moves)
    if (state.can(move)) {
      EXPECT_EQ(state.cost(move, right), most - after[move]) << "move " << move;
    }
  EXPECT_EQ(after[state.oracle(right)], most);
  return most;
}

TEST(ArcHybrid, every_projective_tree_is_found_by_its_oracle) {
  const std::array<size_t, 6> trees{1, 2, 7, 30, 143, 728};  // with one root: OEIS A006013
  for (int words = 1; words <= 6; ++words) {
    const std::vector<Heads> all = projective_trees(words);
    EXPECT_EQ(all.size(), trees[static_cast<size_t>(words) - 1]);
    for (const Heads& right : all) {
      ArcHybrid state(words);
      int taken = 0;
      for (; !state.done(); ++taken) state.apply(state.oracle(right));
      EXPECT_EQ(state.heads(), right);
      EXPECT_EQ(taken, 2 * words);
    }
  }
}

TEST(ArcHybrid, a_move_costs_the_arcs_that_it_loses) {
  for (int words = 1; words <= 5; ++words)
    for (const Heads& right : projective_trees(words)) EXPECT_EQ(max_arcs(ArcHybrid(words), right), words);
}

TEST(ArcHybrid, a_tree_whose_arcs_cross_is_missed_by_a_few) {
  const Heads right{2, 3, 4, 2};  // the head of 0 is 2, that of 1 is 3
  ASSERT_TRUE(is_tree(right) && arcs_cross(right));
  ArcHybrid state(4);
  while (!state.done()) state.apply(state.oracle(right));
  EXPECT_TRUE(is_tree(state.heads()));
  int arcs = 0;
  for (size_t i = 0; i < right.size(); ++i) arcs += state.heads()[i] == right[i];
  EXPECT_EQ(arcs, 3);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::models
