// Bad input: the error contains the path inside the record, nothing of that example is recorded, and the others
// continue.
#include <gtest/gtest.h>

#include <thread>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace blk = espalier::block;

struct Bond {
  int kind = 0;
};
struct Atom {
  std::vector<float> position;
  std::vector<Bond> bonds;
  std::map<std::string, float> more;
  std::unique_ptr<Bond> first;
};
struct Molecule {
  std::vector<Atom> atoms;
};

class BlockErrors : public ::testing::Test {
 protected:
  Engine engine;
  Parameters params{1};
  nn::Embedding kinds{params / "kinds", 5, 2};

  // The error of a molecule whose third atom is bad; the two atoms before it are good.
  template <class B>
  std::string error(const B& atom, Atom bad) {
    const auto molecule = blk::field<&Molecule::atoms>() >> blk::map(atom);
    std::vector<Molecule> data(3);
    for (Molecule& m : data) m.atoms.resize(2);
    data[1].atoms.push_back(std::move(bad));
    auto batch = engine.record(data, molecule, {.skip_bad = true});
    EXPECT_EQ(batch.results.size(), 2u);
    EXPECT_EQ(batch.failed.size(), 1u);
    // Nothing of the failed example is left.
    data.erase(data.begin() + 1);
    auto alone = engine.record(data, molecule);
    EXPECT_EQ(batch.calls(), alone.calls());
    if (batch.failed.size() != 1) return "none";
    EXPECT_EQ(batch.failed[0].example, 1u);
    return error_without_line([&] { std::rethrow_exception(batch.failed[0].error); });
  }
};

TEST_F(BlockErrors, NameThePath) {
  Atom bad;
  bad.bonds.resize(2);
  bad.bonds[1].kind = 7;
  EXPECT_EQ(error(blk::field<&Atom::bonds>() >> blk::map(blk::field<&Bond::kind>() >> kinds), std::move(bad)),
            "$.atoms[2].bonds[1].kind: lookup in kinds.weight[5,2]: index 7 is out of range; it must be 0…4 "
            "(errors_test.cc) (example 1)");

  const auto three = [](const std::vector<float>& v) { return v.empty() ? std::vector<float>(3) : v; };
  bad = {};
  bad.position = {1, 2};
  EXPECT_EQ(error(blk::field<&Atom::position>() >> three >> blk::vector(3), std::move(bad)),
            "$.atoms[2].position: 2 numbers are given; 3 are needed for [3] (errors_test.cc) (example 1)");
  bad = {};
  bad.position = {1, 2};
  EXPECT_EQ(error(blk::field<&Atom::position>() >> three >> blk::nth(2) >> blk::scalar(), std::move(bad)),
            "$.atoms[2].position: nth: index 2 is out of range for a sequence of 2 (errors_test.cc) (example 1)");
  bad = {};
  bad.position = {1, 2};
  EXPECT_EQ(
      error(blk::field<&Atom::position>() >> three >> blk::map(blk::scalar()) >> blk::ngrams<3>() >>
                blk::map(blk::concat()),
            std::move(bad)),
      "$.atoms[2].position: ngrams: the sequence has 2 elements; at least 3 are needed (errors_test.cc) (example 1)");
  bad = {};
  bad.more["weight"] = 1;
  const auto charge = [](const std::map<std::string, float>& m) {
    return m.empty() ? std::map<std::string, float>{{"charge", 0.f}} : m;
  };
  EXPECT_EQ(error(blk::field<&Atom::more>() >> charge >> blk::get_item("charge") >> blk::scalar(), std::move(bad)),
            "$.atoms[2].more: no field charge (errors_test.cc) (example 1)");
}

TEST_F(BlockErrors, APathEndsWhereSomethingIsComputed) {
  // Element 2 of a lambda's result is not a path inside the example.
  const auto made = blk::field<&Atom::position>() >>
                    [](const std::vector<float>& v) { return std::vector<std::vector<float>>(3, v); } >> blk::nth(2) >>
                    blk::vector(2);
  EXPECT_EQ(error_without_line([&] { engine.record(std::vector<Atom>(1), made); }),
            "$.position: 0 numbers are given; 2 are needed for [2] (errors_test.cc) (example 0)");
  blk::Composition<Atom> c;
  const auto position = c(blk::field<&Atom::position>(), c.input());
  const auto whole = c.output(c(blk::vector(2), position));
  EXPECT_EQ(error_without_line([&] { engine.record(std::vector<Atom>(1), whole); }),
            "$.position: 0 numbers are given; 2 are needed for [2] (example 0)");
}

TEST_F(BlockErrors, StepsIntoWhatWasComputedAreNotNamed) {
  std::vector<Atom> atoms(1);
  atoms[0].bonds = {{1}, {7}, {2}};
  // Element 0 of the slice is element 1 of the bonds.
  const auto sliced = blk::field<&Atom::bonds>() >> blk::slice(1, 3) >> blk::map(blk::field<&Bond::kind>() >> kinds);
  EXPECT_EQ(
      error_without_line([&] { engine.record(atoms, sliced); }),
      "$.bonds: lookup in kinds.weight[5,2]: index 7 is out of range; it must be 0…4 (errors_test.cc) (example 0)");
  const auto pairs = blk::field<&Atom::bonds>() >> blk::ngrams<2>() >>
                     blk::map([&](const Bond&, const Bond& b) { return Bond{b.kind}; }) >>
                     blk::map(blk::field<&Bond::kind>() >> kinds);
  EXPECT_EQ(error_without_line([&] { engine.record(atoms, pairs); }).substr(0, 18), "$.bonds: lookup in");
}

TEST_F(BlockErrors, NumbersAreNotCutToFit) {
  Graph g = engine.graph();
  const auto wide = blk::identity<long long>() >> blk::one_hot(3);
  EXPECT_EQ(error_without_line([&] { wide(g, (1LL << 32) + 1); }),
            "one_hot: 4294967297 is not one of the 3 values (errors_test.cc)");
  const auto keyed = blk::one_of([](int x) { return x; },
                                 std::map<char, blk::Block<int, int>>{{'+', blk::of<int>([](int) { return 1; })}});
  EXPECT_EQ(keyed(g, '+'), 1);
  EXPECT_EQ(error_without_line([&] { keyed(g, '+' + 256); }),
            "one_of: no case for 299; the cases are \"+\" (errors_test.cc)");
  EXPECT_EQ(error_of([] { blk::one_hot(std::vector<int>{}); }),
            "one_hot: none is given; at least one category is needed, without duplicates");
  EXPECT_EQ(error_of([] { blk::one_hot(std::vector{1, 2, 1}); }),
            "one_hot: one of them is given twice; at least one category is needed, without duplicates");
}

TEST_F(BlockErrors, ARecurrenceOverNothing) {
  const nn::LSTM lstm(params / "lstm", 2, 3);
  const auto last = blk::map(kinds) >> blk::rnn(lstm) >> blk::get<1>() >> &nn::State::h;
  EXPECT_EQ(error_without_line([&] { engine.record(std::vector<std::vector<int>>(1), last); }),
            "rnn without an initial state: the sequence is empty; at least one element is needed (example 0)");
}

TEST_F(BlockErrors, PathsAreCutBetweenLetters) {
  Error e("text");
  for (int i = 0; i < 30; ++i) e.within(".ñandú‰");
  const std::string text = e.what();
  const std::string left_out = "…";
  const size_t cut = text.find(left_out);
  ASSERT_NE(cut, std::string::npos);
  EXPECT_NE(static_cast<unsigned char>(text[cut - 1]) & 0xC0, 0xC0);  // no truncated UTF-8 character
  e.forget_path();
  EXPECT_STREQ(e.what(), "text");
}

TEST_F(BlockErrors, NullPointers) {
  Atom fine;
  fine.first = std::make_unique<Bond>();
  std::vector<Atom> atoms(2);
  atoms[0].first = std::make_unique<Bond>();
  const auto kind = blk::field<&Atom::first>() >> blk::field<&Bond::kind>() >> kinds;
  EXPECT_EQ(error_without_line([&] { engine.record(atoms, kind); }),
            "$.first: the pointer is null; use optional() if it may be null (errors_test.cc) (example 1)");
}

TEST_F(BlockErrors, EmptySequences) {
  struct Case {
    std::string who;
    blk::Block<std::vector<float>, Expr> block;
  };
  const auto rows = blk::identity<std::vector<float>>() >> blk::map(blk::scalar());
  for (const Case& c :
       {Case{"sum", rows >> blk::sum()}, Case{"mean", rows >> blk::mean()}, Case{"max", rows >> blk::max()},
        Case{"min", rows >> blk::min()}, Case{"reduce", rows >> blk::reduce([](Expr a, Expr b) { return a + b; })}})
    EXPECT_EQ(error_without_line([&] { engine.record(std::vector<std::vector<float>>(1), c.block); }),
              c.who + ": the sequence is empty; at least one element is needed (errors_test.cc) (example 0)");
}

TEST_F(BlockErrors, Choices) {
  using Number = std::variant<int, std::unique_ptr<Bond>>;
  const auto by_type = blk::one_of<Number>(blk::field<&Bond::kind>() >> blk::scalar(),
                                           blk::identity<int>() >> blk::scalar());  // in any order
  std::vector<Number> numbers;
  numbers.emplace_back(3);
  numbers.emplace_back(std::make_unique<Bond>(Bond{4}));
  auto batch = engine.record(numbers, by_type);
  EXPECT_EQ(engine.value(batch.results[1]), 4);
  numbers.emplace_back(std::unique_ptr<Bond>());
  EXPECT_EQ(error_without_line([&] { engine.record(numbers, by_type); }),
            "the pointer is null; use optional() if it may be null (errors_test.cc) (example 2)");

  const auto by_key =
      blk::field<&Molecule::atoms>() >>
      blk::map(blk::field<&Atom::bonds>() >> blk::nth(0) >>
               blk::one_of(blk::field<&Bond::kind>(),
                           std::map<int, blk::Block<Bond, Expr>>{{1, blk::field<&Bond::kind>() >> blk::scalar()},
                                                                 {2, blk::field<&Bond::kind>() >> blk::scalar()}}));
  std::vector<Molecule> data(1);
  data[0].atoms.resize(1);
  data[0].atoms[0].bonds.push_back({3});
  EXPECT_EQ(error_without_line([&] { engine.record(data, by_key); }),
            "$.atoms[0].bonds[0]: one_of: no case for 3; the cases are 1, 2 (errors_test.cc) (example 0)");
  const auto element = blk::identity<std::vector<std::string>>() >> blk::map(blk::one_hot({"c", "h"}));
  EXPECT_EQ(error_without_line([&] { engine.record(std::vector<std::vector<std::string>>{{"c", "xe"}}, element); }),
            "$[1]: one_hot: \"xe\" is not one of the 2 values (errors_test.cc) (example 0)");
}

// ---- recursion
struct List {
  int word = 0;
  std::unique_ptr<List> rest;
  ~List() {  // destroys a long list without recursion
    for (auto next = std::move(rest); next;) next = std::move(next->rest);
  }
};
std::unique_ptr<List> list_of(int n) {
  std::unique_ptr<List> list;
  for (int i = 0; i < n; ++i) {
    auto longer = std::make_unique<List>();
    longer->rest = std::move(list);
    list = std::move(longer);
  }
  return list;
}
blk::Block<List, Expr> total(const nn::Embedding& words, int limit) {
  return blk::fix<List, Expr>(
      {2},
      [&](auto self) {
        return blk::all_of(blk::field<&List::word>() >> words, blk::member_of<&List::rest>() >> blk::optional(self)) >>
               [](Expr a, Expr b) { return a + b; };
      },
      limit);
}

TEST_F(BlockErrors, RecursionHasALimit) {
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(total(kinds, 100)(g, *list_of(100))).shape(), (Shape{2}));
  const size_t calls = g.calls();
  const std::string text = error_without_line([&] { total(kinds, 100)(g, *list_of(101)); });
  EXPECT_EQ(text.substr(text.find("recursion")),
            "recursion: the example is more than 100 levels deep; max_depth of fix or Forward sets the limit "
            "(errors_test.cc)");
  // The middle of a path of a hundred steps is omitted.
  EXPECT_EQ(text.substr(0, 14), "$.rest.rest.re");
  EXPECT_LT(text.size(), 300u);
  EXPECT_NE(text.find("…"), std::string::npos);
  // The depth starts from 0 again.
  total(kinds, 100)(g, *list_of(100));
  EXPECT_GT(g.calls(), calls);
}

TEST_F(BlockErrors, FixOutlivesWhatStandsForIt) {
  blk::Block<List, Expr> kept;
  blk::fix<List, Expr>({2}, [&](auto self) {
    kept = self;
    return blk::field<&List::word>() >> kinds;
  });
  Graph g = engine.graph();
  EXPECT_EQ(error_without_line([&] { kept(g, *list_of(1)); }),
            "fix: it was destroyed, and its block with it; it must outlive the blocks that use it (errors_test.cc)");
  EXPECT_EQ(error_without_line([&] { total(kinds, -1); }),
            "fix: max_depth = -1; it must be at least 1 (errors_test.cc)");
}

TEST_F(BlockErrors, TheStackEndsBeforeItOverflows) {
  std::string text;
  std::thread([&] {
    Graph g = engine.graph();
    text = error_without_line([&] { total(kinds, 1 << 30)(g, *list_of(1'000'000)); });
  }).join();
  EXPECT_NE(text.find("and the stack of this thread is full"), std::string::npos) << text;
}

TEST_F(BlockErrors, DefaultDepthFitsTheStackOfAThread) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers make frames larger";
#else
  std::thread([&] {
    Graph g = engine.graph();
    EXPECT_EQ(engine.tensor(total(kinds, blk::deepest)(g, *list_of(blk::deepest))).shape(), (Shape{2}));
  }).join();
#endif
}

struct Sum;
using Term = std::variant<float, std::unique_ptr<Sum>>;
struct Sum {
  std::vector<Term> terms;
};
TEST_F(BlockErrors, ForwardIsForMutualRecursion) {
  blk::Forward<Sum, Expr> sum({});
  blk::Forward<Term, Expr> term({});
  EXPECT_EQ(
      error_without_line([&] {
        Graph g = engine.graph();
        sum()(g, Sum{});
      }),
      "Forward: it is used before it is defined; use it after f has returned, or after resolve() (errors_test.cc)");
  sum.resolve(blk::field<&Sum::terms>() >> blk::map(term()) >> blk::sum({}));
  term.resolve(blk::one_of<Term>(blk::identity<float>() >> blk::scalar(), sum()));
  Sum s;
  s.terms.emplace_back(1.f);
  s.terms.emplace_back(std::make_unique<Sum>());
  std::get<1>(s.terms[1])->terms.emplace_back(2.f);
  Graph g = engine.graph();
  EXPECT_EQ(engine.value(sum()(g, s)), 3);
  blk::Block<Sum, Expr> left;
  {
    blk::Forward<Sum, Expr> short_lived({});
    left = short_lived();
    short_lived.resolve(blk::of<Sum>(blk::zeros({})));
    left(g, s);
  }
  EXPECT_EQ(error_without_line([&] { left(g, s); }),
            "Forward: it was destroyed, and its block with it; it must outlive the blocks that use it "
            "(errors_test.cc)");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
