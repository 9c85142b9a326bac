// Recomputation: what does not fit under a memory limit, or is wide, is computed again in the backward pass. Bits are
// the same with and without a limit.
#include <gtest/gtest.h>

#include <espalier/engine/engine.h>
#include <espalier/expr/cell.h>
#include <espalier/expr/functions.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

// Sequences of equal length through a cell with many rows within each call.
class Sequences {
 public:
  struct Result {
    std::vector<float> losses, gradients;
    Counters counters;
    DryRun dry_run;
  };

  Result train(size_t limit, Device device = Device::cpu(), int threads = 1) const {
    Engine engine({.device = device, .threads = threads, .memory_limit = limit, .poison = true});
    std::vector<int> words(examples);
    for (int i = 0; i < examples; ++i) words[static_cast<size_t>(i)] = i % 11;
    const auto batch = engine.record(words, [&](Graph& g, int word) {
      Expr h = lookup(g, table_, word);
      for (int t = 0; t < length; ++t) h = cell_(h, (word + t) % 11);
      return sum_elements(square(h));
    });
    Result r;
    r.dry_run = engine.dry_run(batch);
    const Gradients gradients = engine.backward(batch);
    for (const Parameter& p : params_.all())
      for (const float x : gradients.of(p)) r.gradients.push_back(x);
    for (const Tensor& t : engine.tensors(batch.results)) r.losses.push_back(t[0]);
    r.counters = engine.counters();
    return r;
  }

  static constexpr int examples = 96, length = 12, size = 20;

 private:
  Parameters params_{3};
  Lookup table_ = Scope(params_).add_lookup("table", 11, {size});
  Parameter w_ = Scope(params_).add("w", {size, size}), v_ = Scope(params_).add("v", {3 * size, size});
  Cell<Expr(Expr, Index)> cell_ = Scope(params_).cell("deep", {{size}, {}}, [&](Expr h, Index word) {
    const Expr gates = linear(h, v_), x = lookup(table_, word);
    const Expr a = tanh(slice(gates, 0, size)), b = sigmoid(slice(gates, size, 2 * size));
    return linear(dropout(a, 0.1f) * b + sigmoid(slice(gates, 2 * size, 3 * size)) * x * tanh(a * x), w_);
  });
};

void expect_equal(const Sequences::Result& got, const Sequences::Result& want) {
  EXPECT_EQ(got.losses, want.losses);
  EXPECT_EQ(got.gradients, want.gradients);
}

TEST(Recompute, ALimitThatNeedsRecomputationChangesNoBit) {
  const Sequences model;
  for (const Device device : {Device::cpu(), Device::ref()})
    for (const int threads : {1, 2}) {
      const Sequences::Result free = model.train(0, device, threads);
      EXPECT_EQ(free.counters.recomputed_calls, 0u);
      EXPECT_EQ(free.dry_run.recomputed_calls, 0u);
      // Lower limits, until one is refused.
      const size_t step = free.counters.arena_bytes / 100;
      size_t without = 0, limit = 100 * step;
      Sequences::Result least = free, next = free;
      while (error_of([&] { next = model.train(limit, device, threads); }) == "no error") {
        least = next;
        expect_equal(least, free);
        if (least.counters.recomputed_calls == 0) without = limit;
        limit -= step;
      }
      EXPECT_LT(limit, without * 8 / 10);  // of what is needed without recomputation
      EXPECT_GE(least.counters.recomputed_calls, static_cast<uint64_t>(Sequences::examples * Sequences::length));
      EXPECT_EQ(least.dry_run.recomputed_calls, least.counters.recomputed_calls);
      EXPECT_GT(least.counters.product_flops, free.counters.product_flops);
      EXPECT_EQ(least.counters.product_flops - free.counters.product_flops, least.dry_run.recomputed_flops);
    }
}

TEST(Recompute, DryRunNamesTheCells) {
  const Sequences model;
  const size_t all = model.train(0).counters.arena_bytes;
  size_t limit = all;
  DryRun dry_run;
  while (dry_run.recomputed_calls == 0) dry_run = model.train(limit -= all / 20).dry_run;
  EXPECT_NE(dry_run.text().find("the backward pass runs 1152 calls again to keep the memory limit, "),
            std::string::npos)
      << dry_run.text();
  EXPECT_NE(dry_run.text().find("of the forward products: deep\n"), std::string::npos) << dry_run.text();
}

TEST(Recompute, TheErrorSaysThatRecomputationDoesNotSuffice) {
  const std::string said = error_of([] { Sequences().train(600'000); });
  EXPECT_NE(said.find("although the backward pass computes rows again) and the limit is 586 KiB"), std::string::npos)
      << said;
}

// A vocabulary: the logits of all words would take 80 MB, and their gradients as much.
TEST(Recompute, LogitsOfALargeVocabularyAreNeverKept) {
  constexpr int words = 5000, size = 8, count = 4096;
  Parameters params(1);
  const Scope scope = params;
  const Parameter w = scope.add("w", {words, size}), b = scope.add("b", {words});
  const Lookup table = scope.add_lookup("table", words, {size});
  const auto loss =
      scope.cell("loss", {{size}, {}}, [&](Expr h, Index next) { return cross_entropy(linear(h, w, b), next); });
  std::vector<int> all(count);
  for (int i = 0; i < count; ++i) all[static_cast<size_t>(i)] = i * 7 % words;
  struct Result {
    std::vector<float> gradient, losses;
    Counters counters;
  };
  const auto train = [&](bool read) {
    Engine engine;
    const auto batch =
        engine.record(all, [&](Graph& g, int word) { return loss(tanh(lookup(g, table, word)), (word + 1) % words); });
    Result r;
    if (read) (void)engine.tensors(batch.results);
    const Gradients gradients = engine.backward(batch);
    r.gradient = gradients.of(w).to_vector();
    for (const Tensor& t : engine.tensors(batch.results)) r.losses.push_back(t[0]);
    r.counters = engine.counters();
    EXPECT_NE(engine.explain(batch).find("wide losses, which run together with the backward pass: loss"),
              std::string::npos);
    return r;
  };
  const Result together = train(false), apart = train(true);
  EXPECT_LT(together.counters.arena_bytes, size_t{40} << 20);
  EXPECT_LT(apart.counters.arena_bytes, size_t{40} << 20);
  EXPECT_EQ(together.counters.recomputed_calls, 0u);
  EXPECT_EQ(apart.counters.recomputed_calls, static_cast<uint64_t>(count));
  EXPECT_EQ(apart.counters.product_flops - together.counters.product_flops, 2.0 * count * words * size);
  EXPECT_EQ(together.losses, apart.losses);
  EXPECT_EQ(together.gradient, apart.gradient);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
