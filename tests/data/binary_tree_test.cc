// The forms of generated binary trees.
#include <espalier/data/binary_tree.h>

#include <algorithm>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

namespace espalier::data::binary_tree {
namespace ESPALIER_FILE {

size_t height(const Tree& tree) {
  std::vector<size_t> h;
  for (const Tree::Node& n : tree.nodes) h.push_back(n.is_leaf() ? 0 : 1 + std::max(h.at(n.left), h.at(n.right)));
  return h.back();
}

TEST(BinaryTree, HasItsForm) {
  for (const Form form : {Form::random, Form::balanced, Form::sequence})
    for (const Tree& tree : generate(50, 1, 64, 3, form)) {
      ASSERT_EQ(tree.nodes.size(), 127u);
      std::vector<int> readers(tree.nodes.size());
      for (const Tree::Node& n : tree.nodes) {
        EXPECT_LT(n.leaf, 3);
        if (n.is_leaf()) continue;
        ++readers[n.left];
        ++readers[n.right];
      }
      EXPECT_TRUE(std::all_of(readers.begin(), readers.end() - 1, [](int r) { return r == 1; }));
      EXPECT_EQ(readers.back(), 0);
      if (form == Form::balanced) {
        EXPECT_EQ(height(tree), 6u);
      }
      if (form == Form::sequence) {
        EXPECT_EQ(height(tree), 63u);
      }
    }
}

// The mean depth of a tree with 128 leaves split at random is 14.2, measured with a recursive generator.
TEST(BinaryTree, RandomSplitsAreUniform) {
  double levels = 0;
  const auto trees = generate(2'000, 1, 128, 1);
  for (const Tree& tree : trees) levels += static_cast<double>(height(tree));
  EXPECT_NEAR(levels / static_cast<double>(trees.size()), 14.2, 0.5);
}

TEST(BinaryTree, DeepTreesNeedNoStack) { EXPECT_EQ(height(generate(1, 1, 300'000, 1, Form::sequence)[0]), 299'999u); }

TEST(BinaryTree, ErrorsSayWhatIsNeeded) {
  EXPECT_EQ(generate(1, 1, 1, 1)[0].nodes.size(), 1u);
  try {
    generate(1, 1, 0, 5);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "binary_tree: 0 leaves of 5 kinds; expected at least 1 of each");
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::binary_tree
