// Random trees of tasks that wait, run in sequence or concurrently, throw and catch, compared with a plain recursion
// over the same tree.
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

struct Tree {
  enum Kind { waits, throws, catches, in_turn, side_by_side } kind;
  int number = 0;  // number of waits, or the value thrown
  std::vector<Tree> parts{};
};

struct Thrown : Error {
  int number;
  explicit Thrown(int n) : Error("thrown " + std::to_string(n)), number(n) {}
};

Tree random_tree(std::mt19937& random, int depth) {
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int choice = below(depth == 0 ? 4 : 12);
  if (choice == 0) return {Tree::throws, 1 + below(50)};
  if (choice < 4) return {Tree::waits, below(4)};
  if (choice < 6) return {Tree::catches, 0, {random_tree(random, depth - 1)}};
  Tree tree{choice < 8 ? Tree::in_turn : Tree::side_by_side};
  for (int n = below(5); n > 0; --n) tree.parts.push_back(random_tree(random, depth - 1));
  return tree;
}

int add(int sum, int part) { return (sum * 5 + part + 1) % 100'003; }

int meaning(const Tree& tree) {
  if (tree.kind == Tree::waits) return tree.number;
  if (tree.kind == Tree::throws) throw Thrown(tree.number);
  int sum = 0;
  try {
    for (const Tree& part : tree.parts) sum = add(sum, meaning(part));
  } catch (const Thrown& e) {
    if (tree.kind != Tree::catches) throw;
    sum = 1000 + e.number;
  }
  return sum;
}

struct Alive {
  static inline std::atomic<int> count = 0;
  Alive() { ++count; }
  Alive(const Alive&) = delete;
  ~Alive() { --count; }
};

Expr one(Graph& g) { return input(g, std::vector<float>{1}, {}) * 1; }

Task<int> task_of(Graph& g, const Tree& tree) {
  const Alive alive;
  int sum = 0;
  if (tree.kind == Tree::throws) throw Thrown(tree.number);
  if (tree.kind == Tree::side_by_side) {
    std::vector<Task<int>> tasks;
    for (const Tree& part : tree.parts) tasks.push_back(task_of(g, part));
    const std::vector<int> results = co_await all(std::move(tasks));
    for (const int result : results) sum = add(sum, result);
    co_return sum;
  }
  for (int i = 0; i < tree.number; ++i) {
    const float x = co_await value(one(g));
    sum += static_cast<int>(x);
  }
  try {
    for (const Tree& part : tree.parts) {
      const int result = co_await task_of(g, part);
      sum = add(sum, result);
    }
  } catch (const Thrown& e) {
    if (tree.kind != Tree::catches) throw;
    sum = 1000 + e.number;
  }
  co_return sum;
}

std::string said(auto f) {
  try {
    return std::to_string(f());
  } catch (const Thrown& e) {
    return e.what();
  }
}

TEST(Strands, mean_what_a_recursion_means) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    std::vector<Tree> trees;
    for (int i = 0; i < 4; ++i) trees.push_back(random_tree(random, 2 + static_cast<int>(seed % 5)));
    EngineOptions options;
    options.threads = 1 + static_cast<int>(seed % 2);
    Engine engine(options);
    auto f = [](Graph& g, const Tree& tree) { return task_of(g, tree); };
    const auto batch = engine.record(trees, f, {.skip_bad = true});
    ASSERT_EQ(batch.results.size() + batch.failed.size(), trees.size());
    for (size_t k = 0; k < batch.results.size(); ++k)
      ASSERT_EQ(std::to_string(batch.results[k]), said([&] { return meaning(trees[batch.positions[k]]); }))
          << "seed " << seed << " example " << batch.positions[k];
    for (const Failure& failure : batch.failed) {
      const std::string expected = said([&] { return meaning(trees[failure.example]); });
      ASSERT_EQ(said([&]() -> int { std::rethrow_exception(failure.error); }), expected)  // a user-defined class
          << "seed " << seed;
    }
    ASSERT_EQ(Alive::count, 0) << "seed " << seed;
    (void)engine.record(trees, f, {.skip_bad = true, .max_rounds = 2});  // cancels some in the middle
    ASSERT_EQ(Alive::count, 0) << "seed " << seed;
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
