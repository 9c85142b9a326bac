#include <random>

#include <gtest/gtest.h>
#include <espalier/data/molecule.h>

namespace espalier::data {
namespace ESPALIER_FILE {

Molecule of(size_t atoms, std::vector<std::array<int, 2>> bonds) {
  Molecule m;
  m.atoms.resize(atoms);
  for (const auto& ends : bonds) m.bonds.push_back({.ends = ends});
  return m;
}

TEST(Molecule, PairsOfARing) {
  const Molecule ring = of(4, {{0, 1}, {2, 1}, {2, 3}, {0, 3}});
  EXPECT_EQ(ring.bonds_of_atoms(), (std::vector<std::vector<int>>{{0, 3}, {0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(pairs_within(ring, 1),
            (std::vector<AtomPair>{{{0, 1}, 1, 0}, {{0, 3}, 1, 3}, {{1, 2}, 1, 1}, {{2, 3}, 1, 2}}));
  EXPECT_EQ(pairs_within(ring, 2),
            (std::vector<AtomPair>{
                {{0, 1}, 1, 0}, {{0, 2}, 2, -1}, {{0, 3}, 1, 3}, {{1, 2}, 1, 1}, {{1, 3}, 2, -1}, {{2, 3}, 1, 2}}));
  EXPECT_TRUE(pairs_within(ring, 0).empty());
}

// Compares with all shortest paths by Floyd and Warshall, in disconnected molecules.
TEST(Molecule, PairsAreAllThereAre) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random() % 12);
    std::vector<std::vector<int>> ways(static_cast<size_t>(n), std::vector<int>(static_cast<size_t>(n), 99));
    auto way = [&](int a, int b) -> int& { return ways[static_cast<size_t>(a)][static_cast<size_t>(b)]; };
    std::vector<std::array<int, 2>> bonds;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b)
        if (random() % 4 == 0) {
          bonds.push_back({a, b});
          way(a, b) = way(b, a) = 1;
        }
    for (int k = 0; k < n; ++k)
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) way(a, b) = std::min(way(a, b), way(a, k) + way(k, b));
    const Molecule m = of(static_cast<size_t>(n), bonds);
    const int most = static_cast<int>(random() % 5);
    std::vector<AtomPair> expected;
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        if (way(a, b) <= most) expected.push_back({{a, b}, way(a, b), -1});
    std::vector<AtomPair> found = pairs_within(m, most);
    for (AtomPair& p : found) {
      ASSERT_EQ(p.bond >= 0, p.distance == 1);
      if (p.bond >= 0) {
        const std::array<int, 2> reversed{p.ends[1], p.ends[0]};
        ASSERT_EQ(m.bonds[static_cast<size_t>(p.bond)].ends, reversed);
      }
      p.bond = -1;
    }
    ASSERT_EQ(found, expected);
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
