// infer() on results of every structure: Exprs become Tensors, host values pass through.
#include <espalier/engine/results.h>

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

#include <espalier/espalier.h>

namespace espalier {
namespace ESPALIER_FILE {

using detail::Values;

struct Word {
  std::string text;
  std::vector<Word> parts;  // recursive, without Exprs
  int place[2] = {0, 0};
  bool operator==(const Word&) const = default;
};
struct Reading {
  Word word;
  nn::State state;
  std::optional<nn::State> before;
  std::unique_ptr<int> owned;
};
struct Tree {
  Expr value;
  std::vector<Tree> kids;
};
struct Large {
  int a, b, c, d, e, f, g, h, i;
};
struct Derived : Word {
  Expr x;
};
class Opaque {
 public:
  explicit Opaque(int n) : inside_{n, 0, 0, 0, 0, 0, 0, 0, 0} {}
  int n() const { return inside_.a; }

 private:
  Large inside_;
};
struct Elsewhere;
struct Pointers {
  Expr x;
  const Elsewhere* raw = nullptr;
  std::shared_ptr<Large> large;
  std::filesystem::path path;
  std::set<int> set;
  void (*function)() = nullptr;
};

template <class T, class V>
constexpr bool gives = std::same_as<Values<T>, V>;
using Pair = std::tuple<Tensor, Tensor>;

static_assert(gives<Expr, Tensor> && gives<nn::State, Pair> && gives<bool, bool> && gives<Word, Word>);
static_assert(gives<std::vector<std::array<nn::State, 2>>, std::vector<std::array<Pair, 2>>>);
static_assert(gives<std::deque<std::list<Expr>>, std::deque<std::list<Tensor>>>);
static_assert(gives<std::map<int, Expr, std::greater<>>, std::map<int, Tensor, std::greater<>>>);
static_assert(gives<std::unordered_map<std::string, nn::State>, std::unordered_map<std::string, Pair>>);
static_assert(
    gives<std::pair<int, std::variant<int, Expr, nn::State>>, std::pair<int, std::variant<int, Tensor, Pair>>>);
static_assert(gives<std::tuple<Expr>, std::tuple<Tensor>> && gives<std::tuple<int, Expr>, std::tuple<int, Tensor>>);
static_assert(gives<Reading, std::tuple<Word, Pair, std::optional<Pair>, std::unique_ptr<int>>>);
static_assert(gives<std::unique_ptr<int>, std::unique_ptr<int>> && gives<Opaque, Opaque>);

using detail::Found;
using detail::found_in;
static_assert(found_in<Large> == Found::closed && found_in<std::vector<Large>> == Found::closed);
static_assert(found_in<Derived> == Found::closed && found_in<std::shared_ptr<Large>> == 0);
static_assert(found_in<std::shared_ptr<nn::State>> == (Found::exprs | Found::apart));
static_assert(found_in<std::pair<Expr*, int>> == (Found::exprs | Found::apart));
static_assert(found_in<Pointers> == Found::exprs && found_in<Tree> == Found::exprs);
static_assert(detail::is_nested<Tree>() && !detail::is_nested<Reading>());

class Results : public testing::Test {
 protected:
  // One example per integer; infers f(graph, integer).
  template <class F>
  auto infer(F f) {
    return engine.infer(engine.record(numbers, f));
  }
  static Expr number(Graph& g, int n) { return input(g, static_cast<float>(n)) * 2; }
  static float twice(const Tensor& t) { return t[0]; }

  std::vector<int> numbers{3, 5, 4};
  Engine engine{{.threads = 2}};
};

TEST_F(Results, keep_their_structure) {
  using R = std::tuple<std::vector<std::pair<Expr, int>>, std::map<std::string, nn::State>, std::array<Expr, 2>>;
  const auto all = infer([](Graph& g, int n) {
    R r;
    for (int i = 0; i < n; ++i) std::get<0>(r).emplace_back(number(g, i), i);
    std::get<1>(r)["one"] = {number(g, n), number(g, 10 * n)};
    std::get<1>(r)["another"] = {number(g, -n), number(g, 0)};
    std::get<2>(r) = {number(g, 7), number(g, n + 1)};
    return r;
  });
  ASSERT_EQ(all.size(), numbers.size());
  for (size_t e = 0; e < all.size(); ++e) {
    const auto& [list, map, array] = all[e];
    const int n = numbers[e];
    ASSERT_EQ(list.size(), static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(twice(list[static_cast<size_t>(i)].first), static_cast<float>(2 * i));
      EXPECT_EQ(list[static_cast<size_t>(i)].second, i);
    }
    ASSERT_EQ(map.size(), 2u);
    EXPECT_EQ(twice(std::get<0>(map.at("one"))), static_cast<float>(2 * n));
    EXPECT_EQ(twice(std::get<1>(map.at("one"))), static_cast<float>(20 * n));
    EXPECT_EQ(twice(std::get<0>(map.at("another"))), static_cast<float>(-2 * n));
    EXPECT_EQ(twice(array[0]), 14);
    EXPECT_EQ(twice(array[1]), static_cast<float>(2 * n + 2));
  }
}

TEST_F(Results, may_be_there_or_not_and_of_one_kind_or_another) {
  using R = std::pair<std::optional<Expr>, std::variant<Expr, std::string, nn::State>>;
  const auto all = infer([](Graph& g, int n) -> R {
    if (n == 3) return {std::nullopt, std::string("three")};
    if (n == 4) return {number(g, 4), nn::State{number(g, 40), number(g, 41)}};
    return {std::nullopt, number(g, n)};
  });
  EXPECT_FALSE(all[0].first);
  EXPECT_EQ(std::get<1>(all[0].second), "three");
  EXPECT_EQ(twice(std::get<0>(all[1].second)), 10);
  EXPECT_EQ(twice(*all[2].first), 8);
  EXPECT_EQ(twice(std::get<1>(std::get<2>(all[2].second))), 82);
}

TEST_F(Results, host_values_pass_unchanged) {
  EXPECT_EQ(infer([](Graph&, int n) { return n; }), numbers);
  EXPECT_EQ(infer([](Graph&, int n) { return n == 5; }), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(infer([](Graph&, int n) { return Opaque(n); })[1].n(), 5);
  const Word word{"stem", {{"st", {}, {1, 2}}, {"em", {}, {}}}, {3, 4}};
  EXPECT_EQ(infer([&](Graph&, int) { return word; })[2], word);
  EXPECT_EQ(infer([&](Graph&, int) -> const Word& { return word; })[2], word) << "a reference is copied";
  EXPECT_EQ(*infer([](Graph&, int n) { return std::make_unique<int>(n); })[0], 3);
}

TEST_F(Results, host_values_beside_values_move_along) {
  auto batch = engine.record(numbers, [](Graph& g, int n) {
    const nn::State s{number(g, n), number(g, -n)};
    return Reading{{"word", {}, {n, n}}, s, n == 4 ? std::optional(s) : std::nullopt, std::make_unique<int>(n)};
  });
  const auto all = engine.infer(std::move(batch));
  for (size_t e = 0; e < all.size(); ++e) {
    const auto& [word, state, before, owned] = all[e];
    EXPECT_EQ(word.place[1], numbers[e]);
    EXPECT_EQ(twice(std::get<1>(state)), static_cast<float>(-2 * numbers[e]));
    EXPECT_EQ(before.has_value(), numbers[e] == 4);
    EXPECT_EQ(*owned, numbers[e]);
  }
}

TEST_F(Results, are_searched_for_exprs_in_the_order_of_their_values) {
  Graph g = engine.graph();
  Tree tree{number(g, 1), {{number(g, 2), {}}, {number(g, 3), {{number(g, 4), {}}}}}};
  std::vector<float> found;
  detail::each_expr(tree, [&](const Expr& x) { found.push_back(engine.value(x)); });
  EXPECT_EQ(found, (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(Results, labels_stand_beside_what_was_emitted) {
  for (const bool merge : {false, true}) {
    auto batch = engine.record(numbers, [](Graph& g, int n) {
      for (int i = 0; i < n; ++i) g.emit(i % 2 == 0 ? "even" : "odd", number(g, i), 10 * n + i);
      g.emit("none", number(g, n));
      return n;
    });
    if (merge) batch = engine.merge(std::move(batch));
    EXPECT_EQ(batch.labels("odd"), (std::vector<int>{31, 51, 53, 41, 43}));
    EXPECT_EQ(batch.labels("none"), (std::vector<int>{-1, -1, -1}));
    EXPECT_TRUE(batch.labels("other").empty());
    const auto values = engine.tensors(batch.emitted("odd"));
    ASSERT_EQ(values.size(), 5u);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(twice(values[i]), static_cast<float>(2 * (batch.labels("odd")[i] % 10)));
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
