// Wide losses: a cell whose forward and backward kernels run together, chunk by chunk. Losses and gradients are close
// to the reference, and their bits depend neither on whether a loss was read before the backward pass nor on threads
// that share no rows.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include <espalier/engine/engine.h>
#include <espalier/engine/pipeline.h>
#include <espalier/expr/cell.h>
#include <espalier/expr/functions.h>
#include "law/devices.h"
#include "param/gradient_state.h"

namespace espalier::law {
namespace ESPALIER_FILE {

constexpr int hidden = 6, words = 9, examples = 23;

// Losses whose rows are read in place, gathered into a concat, looked up, random, or kept for weight gradients.
struct Losses {
  Losses() {
    frozen.freeze();
    const Scope s = params;
    all.push_back(
        s.cell("softmax", {{hidden}, {}}, [&](Expr h, Index next) { return cross_entropy(linear(h, W, b), next); }));
    all.push_back(s.cell("mlp", {{hidden}, {}}, [&](Expr h, Index next) {
      return cross_entropy(linear(tanh(linear(concat({h, lookup(table, next)}), V)), U, b), next);
    }));
    all.push_back(s.cell("frozen", {{hidden}, {}}, [&](Expr h, Index next) {
      return cross_entropy(linear(dropout(exp(h), 0.3f), frozen, b), next);
    }));
    all.push_back(s.cell("tied", {{hidden}, {}}, [&](Expr h, Index next) {
      const Expr y = linear(h, W);
      return sum_elements(softmax(y) * log(1.5f + sigmoid(linear(tanh(h * h), W)))) + cross_entropy(y + b, next);
    }));
    both = s.cell("both", {{hidden}, {hidden}, {}},
                  [&](Expr h, Expr x, Index next) { return cross_entropy(linear(concat({h, x}), U2, b), next); });
  }

  std::vector<Expr> record(Graph& g, uint64_t example) const {
    std::vector<Expr> losses;
    Expr h = lookup(g, table, static_cast<int>(example % words)), x = h;
    for (uint64_t i = 0; i < 2 + example % 3; ++i) {
      x = std::exchange(h, tanh(linear(h, R)));
      for (const auto& loss : all) losses.push_back(loss(h, static_cast<int>((example + i) % words)));
      losses.push_back(both(h, x, static_cast<int>(i)));
    }
    return losses;
  }

  Parameters params{7};
  Parameter W = Scope(params).add("W", {words, hidden}), b = Scope(params).add("b", {words}),
            V = Scope(params).add("V", {5, 2 * hidden}), U = Scope(params).add("U", {words, 5}),
            frozen = Scope(params).add("frozen", {words, hidden}), R = Scope(params).add("R", {hidden, hidden}),
            U2 = Scope(params).add("U2", {words, 2 * hidden});
  Lookup table = Scope(params).add_lookup("table", words, {hidden});
  std::vector<Cell<Expr(Expr, Index)>> all;
  Cell<Expr(Expr, Expr, Index)> both;
};

struct Outcome {
  std::vector<float> losses;
  std::vector<Tensor> gradients;
  double loss = 0, flops = 0;
};

enum class Read { never, before, watched };

Outcome train(const Losses& model, EngineOptions options, Read read) {
  options.poison = true;
  Engine engine(options);
  Minibatch minibatch{{}, 1};
  for (uint64_t i = 0; i < examples; ++i) minibatch.ids.push_back(i);
  const auto batch = engine.record(minibatch, [&](Graph& g, uint64_t e) { return model.record(g, e); });
  std::vector<Expr> losses;
  for (const auto& of : batch.results) losses.insert(losses.end(), of.begin(), of.end());
  if (read == Read::before) (void)engine.tensors(losses);
  if (read == Read::watched) engine.watch(losses[3]);
  const Gradients gradients = engine.backward(losses, 0.5f);
  Outcome o;
  o.flops = engine.counters().product_flops;
  for (const Parameter& p : model.params.all())
    if (!p.frozen()) o.gradients.push_back(gradients.of(p));
  o.loss = gradients.state().loss.get();
  for (const Tensor& t : engine.tensors(losses)) o.losses.push_back(t[0]);
  return o;
}

void expect_near(const Outcome& got, const Outcome& want, const std::string& what) {
  for (size_t i = 0; i < want.losses.size(); ++i)
    ASSERT_NEAR(got.losses[i], want.losses[i], 1e-4 * (1 + std::fabs(want.losses[i]))) << what << ": loss " << i;
  for (size_t i = 0; i < want.gradients.size(); ++i)
    for (size_t e = 0; e < want.gradients[i].size(); ++e)
      ASSERT_NEAR(got.gradients[i][e], want.gradients[i][e], 2e-4 * (1 + std::fabs(want.gradients[i][e])))
          << what << ": gradient " << i << "[" << e << "]";
}
void expect_equal(const Outcome& got, const Outcome& want, const std::string& what) {
  EXPECT_EQ(got.losses, want.losses) << what;
  EXPECT_EQ(got.loss, want.loss) << what;
  for (size_t i = 0; i < want.gradients.size(); ++i)
    EXPECT_EQ(got.gradients[i].to_vector(), want.gradients[i].to_vector()) << what << ": gradient " << i;
}

TEST(Wide, is_near_the_reference_and_reading_a_loss_changes_no_bit) {
  const Losses model;
  const Outcome truth = train(model, {.device = Device::ref(), .policy = Policy::none}, Read::never);
  for (Device device : all_devices())
    for (const uint32_t rows : {1u, 2u, 7u})
      for (const int threads : {1, 2})
        for (const Policy policy : {Policy::automatic, Policy::depth}) {
          const EngineOptions options{.device = device, .policy = policy, .threads = threads, .chunk_rows = rows};
          const std::string what = str(device) + ", " + std::string(name(policy)) + ", " + std::to_string(threads) +
                                   " threads, chunks of " + std::to_string(rows);
          const Outcome never = train(model, options, Read::never);
          expect_near(never, truth, what);
          if (HasFatalFailure()) return;
          const Outcome before = train(model, options, Read::before);
          expect_equal(before, never, what + ", read before");
          expect_equal(train(model, options, Read::watched), never, what + ", watched");
        }
}

// The products of losses run again only if a loss was read.
TEST(Wide, products_run_once_unless_a_loss_was_read) {
  const Losses model;
  for (Device device : {Device::ref(), Device::cpu()}) {
    const double once = train(model, {.device = device}, Read::never).flops;
    EXPECT_EQ(train(model, {.device = device}, Read::before).flops, once);
    EXPECT_EQ(train(model, {.device = device, .chunk_rows = 2}, Read::never).flops, once);
    EXPECT_GT(train(model, {.device = device, .chunk_rows = 2}, Read::before).flops, once);
  }
}

TEST(Wide, gradients_equal_differences) {
  const Losses model;
  const EngineOptions options{.device = Device::ref(), .seed = 3, .chunk_rows = 2};
  const Outcome o = train(model, options, Read::never);
  size_t which = 0;
  for (Parameter p : model.params.all()) {
    if (p.frozen()) continue;
    const Tensor gradient = o.gradients[which++];
    std::vector<float> values = p.value().to_vector();
    for (size_t e = 0; e < values.size(); e += 5) {
      const float kept = values[e], step = 1e-3f;
      auto loss_at = [&](float x) {
        values[e] = x;
        p.assign({p.shape(), values});
        return train(model, options, Read::never).loss;
      };
      const float up = kept + step, down = kept - step;
      const double slope = (loss_at(up) - loss_at(down)) / (static_cast<double>(up) - static_cast<double>(down));
      loss_at(kept);
      ASSERT_NEAR(gradient[e], slope, 1e-3 * (1 + std::fabs(slope))) << p.name() << "[" << e << "]";
    }
  }
}

// A part of the losses, then all of them, then all of them again.
TEST(Wide, several_backward_passes_over_one_graph) {
  const Losses model;
  for (Device device : all_devices()) {
    const auto gradients = [&](EngineOptions options) {
      options.device = device;
      options.poison = true;
      Engine engine(options);
      Graph g = engine.graph();
      std::vector<Expr> losses;
      for (uint64_t e = 0; e < examples; ++e) {
        g.example(e);
        for (Expr loss : model.record(g, e)) losses.push_back(loss);
      }
      std::vector<float> all;
      const auto backward = [&](size_t n) {
        const Gradients some = engine.backward(std::span(losses).first(n));
        for (const Parameter& p : {model.W, model.R, model.U})
          for (const float x : some.of(p)) all.push_back(x);
        all.push_back(static_cast<float>(some.loss().get()));
      };
      backward(losses.size() / 2);
      backward(losses.size());
      backward(losses.size() / 3);
      backward(losses.size());
      return all;
    };
    const std::vector<float> want = gradients({}), got = gradients({.chunk_rows = 3});
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-3 * (1 + std::fabs(want[i]))) << i;
  }
}

// The second pass runs a round only for the watched value, which no loss needs.
TEST(Wide, a_watched_value_after_a_deferred_round) {
  const Losses model;
  Engine engine({.poison = true, .chunk_rows = 2});
  Graph g = engine.graph();
  std::vector<Expr> losses;
  for (uint64_t e = 0; e < examples; ++e) {
    g.example(e);
    for (Expr loss : model.record(g, e)) losses.push_back(loss);
  }
  const Tensor first = engine.backward(losses).of(model.W);
  const Expr unused = tanh(linear(lookup(g, model.table, 1), model.R));
  engine.watch(unused);
  const Gradients second = engine.backward(losses);
  EXPECT_EQ(second.of(model.W).to_vector(), first.to_vector());
  EXPECT_EQ(second.of(unused).to_vector(), std::vector<float>(hidden));
}

// A pipeline plans both passes before either runs.
TEST(Wide, in_a_pipeline) {
  const Losses model;
  Minibatch minibatch{{}, 1};
  for (uint64_t i = 0; i < examples; ++i) minibatch.ids.push_back(i);
  const EngineOptions options{.threads = 2, .chunk_rows = 2};
  Engine engine(options);
  Pipeline ahead(engine, 2, [&](Graph& g, uint64_t e) { return model.record(g, e); });
  for (int i = 0; i < 3; ++i) ahead.push(minibatch);
  const auto want = train(model, options, Read::never);
  for (int i = 0; i < 3; ++i) {
    const Gradients gradients = ahead.backward();
    EXPECT_FLOAT_EQ(static_cast<float>(2 * want.loss), static_cast<float>(gradients.loss().get()));
    for (size_t e = 0; e < want.gradients[0].size(); ++e)
      ASSERT_NEAR(gradients.of(model.W)[e], 2 * want.gradients[0][e], 1e-4);
  }
}

// A backward pass that does not fit leaves the graph as it was: losses can be computed later.
TEST(Wide, a_backward_pass_over_the_limit_changes_nothing) {
  const Losses model;
  Engine engine({.memory_limit = 16'000, .chunk_rows = 2});
  Graph g = engine.graph();
  std::vector<Expr> losses;
  for (uint64_t e = 0; e < examples; ++e) {
    g.example(e);
    for (Expr loss : model.record(g, e)) losses.push_back(loss);
  }
  EXPECT_THROW((void)engine.backward(losses), DeviceError);
  EXPECT_TRUE(std::isfinite(engine.value(losses[0])));
  EXPECT_TRUE(std::isfinite(engine.backward(losses[1]).loss().get()));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
