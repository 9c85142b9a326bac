// A failing example: its number, the calls that stay recorded, and exceptions that propagate.
#include <stdexcept>

#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

class Record : public Errors, public testing::WithParamInterface<int> {
 protected:
  static EngineOptions threads(int n) {
    EngineOptions o;
    o.threads = n;
    return o;
  }
  Record() : Errors(threads(GetParam())), words(scope / "words", 100, 4) {
    for (int i = 0; i < 200; ++i) examples.push_back(i % 100);
  }
  Expr one(Graph& g, int word) const { return sum_elements(tanh(words(g, word))); }
  static std::string at() { return str(Where{__FILE__, __LINE__ - 1}); }  // the line above, which the errors report

  nn::Embedding words;
  std::vector<int> examples;
};

TEST_P(Record, names_the_first_example_that_fails) {
  auto f = [&](Graph& g, int word) { return one(g, word); };
  examples[199] = 4000;
  examples[150] = 1000;
  examples[160] = 2000;
  const std::string text =
      "lookup in words.weight[100,4]: index 1000 is out of range; it must be 0…99" + at() + " (example 150)";
  EXPECT_ERROR(IndexError, text, engine.record(examples, f));
  examples[3] = -5;
  const std::string first =
      "lookup in words.weight[100,4]: index -5 is out of range; it must be 0…99" + at() + " (example 3)";
  EXPECT_ERROR(IndexError, first, engine.record(examples, f));
}

TEST_P(Record, leaves_nothing_of_a_failed_example) {
  auto f = [&](Graph& g, int word) {
    const Expr loss = one(g, word % 100);
    g.emit("loss", loss);
    const Expr more = loss * 2;
    if (word >= 100) (void)one(g, word);
    return more;
  };
  const auto all = engine.record(examples, f);
  examples[7] = examples[150] = 100;
  const auto most = engine.record(examples, f, {.skip_bad = true});
  EXPECT_EQ(most.calls(), all.calls() / 200 * 198);
  EXPECT_EQ(most.emitted("loss").size(), 198u);
  EXPECT_EQ(most.results.size(), 198u);
  ASSERT_EQ(most.positions.size(), 198u);
  EXPECT_EQ(most.positions[6], 6u);
  EXPECT_EQ(most.positions[7], 8u);
  EXPECT_EQ(most.positions.back(), 199u);
  ASSERT_EQ(most.failed.size(), 2u);
  EXPECT_EQ(most.failed[0].example, 7u);
  EXPECT_EQ(most.failed[1].example, 150u);
  const std::string text =
      "lookup in words.weight[100,4]: index 100 is out of range; it must be 0…99" + at() + " (example 150)";
  EXPECT_ERROR(IndexError, text, std::rethrow_exception(most.failed[1].error));
  for (size_t i = 0; i < most.results.size(); ++i)
    EXPECT_EQ(engine.value(most.results[i]), engine.value(all.results[most.positions[i]])) << i;
}

TEST_P(Record, all_may_fail) {
  auto f = [&](Graph& g, int word) { return one(g, word + 1000); };
  const auto none = engine.record(examples, f, {.skip_bad = true});
  EXPECT_EQ(none.failed.size(), 200u);
  EXPECT_TRUE(none.results.empty());
  EXPECT_EQ(none.calls(), 0u);
  EXPECT_EQ(engine.backward(none.results).loss().get(), 0);
  EXPECT_TRUE(engine.infer(none).empty());
}

struct Mine : Error {
  Mine(const std::string& text, int number) : Error(text), code(number) {}
  int code;
};

// The user's own exceptions keep their type. Known exception classes get the example in their text.
TEST_P(Record, other_exceptions_pass_through) {
  auto with = [&](auto error) {
    return [&, error](Graph& g, int word) {
      const Expr x = one(g, word);
      if (word == 50) throw error;
      return x;
    };
  };
  EXPECT_EQ(engine.failed_example(), std::nullopt);
  try {
    (void)engine.record(examples, with(std::runtime_error("mine")));
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "mine (example 50)");
  }
  EXPECT_EQ(engine.failed_example(), 50u);
  (void)engine.record(examples, [&](Graph& g, int word) { return one(g, word); });
  EXPECT_EQ(engine.failed_example(), std::nullopt);
  try {
    (void)engine.record(examples, with(std::out_of_range("mine")));
    ADD_FAILURE();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "mine (example 50)");
  }
  try {
    (void)engine.record(examples, with(Mine("my own", 7)));
    ADD_FAILURE();
  } catch (const Mine& e) {
    EXPECT_STREQ(e.what(), "my own");
    EXPECT_EQ(e.code, 7);
  }
  EXPECT_EQ(engine.failed_example(), 50u);
  EXPECT_THROW((void)engine.record(examples, with(42)), int);
  EXPECT_EQ(engine.failed_example(), 50u);
  const auto most = engine.record(examples, with(42), {.skip_bad = true});
  EXPECT_EQ(engine.failed_example(), std::nullopt);
  ASSERT_EQ(most.failed.size(), 2u);
  EXPECT_EQ(most.failed[1].example, 150u);
  EXPECT_THROW(std::rethrow_exception(most.failed[1].error), int);
}

// One exception object may be thrown by many examples, in several threads at once: it is not changed.
TEST_P(Record, a_stored_exception_of_the_user_stays_as_it_is) {
  const std::exception_ptr stored = std::make_exception_ptr(Mine("stored", 3));
  auto f = [&](Graph&, int) -> Expr { std::rethrow_exception(stored); };
  const auto none = engine.record(examples, f, {.skip_bad = true});
  EXPECT_EQ(none.failed.size(), 200u);
  for (const Failure& failure : none.failed) EXPECT_TRUE(failure.error == stored) << failure.example;
  EXPECT_ERROR(Mine, "stored", std::rethrow_exception(stored));
}

TEST_P(Record, ids_are_one_each) {
  const std::vector<uint64_t> ids{1, 2};
  auto f = [&](Graph& g, int word) { return one(g, word); };
  EXPECT_ERROR(Error, "record: 2 ids are given for 200 examples; one each is needed",
               engine.record(examples, f, {.ids = ids}));
}

TEST_P(Record, sizes_are_one_each) {
  const std::vector<uint32_t> sizes{1, 2, 3};
  auto f = [&](Graph& g, int word) { return one(g, word); };
  EXPECT_ERROR(Error, "record: 3 sizes are given for 200 examples; one each is needed",
               engine.record(examples, f, {.sizes = sizes}));
}

INSTANTIATE_TEST_SUITE_P(, Record, testing::Values(1, 3),
                         [](const auto& c) { return "threads_" + std::to_string(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
