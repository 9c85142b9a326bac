// Graphs whose parameters have changed: which values are recomputed, which are kept, and which graphs are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Model {
  Parameters params{3};
  Lookup words = Scope(params).add_lookup("words", 8, {4});
  nn::LSTM lstm{params / "lstm", 4, 5};
  nn::Linear out{params / "out", 5, 3};

  Expr operator()(Graph& g, int id) const {
    nn::State state;
    for (int i = 0; i <= id % 4; ++i) state = lstm(dropout(lookup(g, words, (id + 3 * i) % 8), 0.2f), state);
    return cross_entropy(out(state.h), id % 3);
  }
};

const std::vector<int> examples{0, 1, 2, 3, 4, 5, 6, 7, 8};

std::vector<std::vector<float>> numbers(const Gradients& g, const Model& m) {
  std::vector<std::vector<float>> all{{g.loss().get()}};
  for (const Parameter& p : m.params.all()) all.push_back(g.of(p).to_vector());
  return all;
}

class Rerun : public testing::TestWithParam<int> {
 protected:
  EngineOptions options() const {
    EngineOptions o;
    o.threads = GetParam();
    o.poison = true;
    return o;
  }
  std::vector<std::vector<float>> fresh() const {
    Engine other(options());
    const auto batch = other.record(examples, std::cref(model));
    return numbers(other.backward(batch.results, 0.5f), model);
  }
  std::vector<Tensor> fresh_values() const {
    Engine other(options());
    const auto batch = other.record(examples, std::cref(model));
    return other.tensors(batch.results);
  }
  static std::vector<std::vector<float>> data(const std::vector<Tensor>& tensors) {
    std::vector<std::vector<float>> all;
    for (const Tensor& t : tensors) all.push_back(t.to_vector());
    return all;
  }

  Model model;
  Engine engine{options()};
};

TEST_P(Rerun, a_training_may_keep_its_graph) {
  optim::Adam adam(model.params, {.lr = 0.05f});
  const auto batch = engine.record(examples, std::cref(model));
  float first = 0, last = 0;
  for (int i = 0; i < 20; ++i) {
    const Gradients g = engine.backward(batch, 0.5f);
    ASSERT_EQ(numbers(g, model), fresh()) << "step " << i;
    (i == 0 ? first : last) = g.loss().get();
    adam.step(g);
  }
  EXPECT_LT(last, 0.7f * first);
}

TEST_P(Rerun, backward_runs_a_graph_again_only_if_a_parameter_of_it_has_changed) {
  const Parameter other = Scope(model.params).add("other", {2});
  const auto batch = engine.record(examples, std::cref(model));
  (void)engine.backward(batch.results);
  const uint64_t rounds = engine.counters().rounds;
  (void)engine.backward(batch.results);
  EXPECT_EQ(engine.counters().rounds, rounds);
  Parameter(other).assign({{2}, {1, 2}});
  (void)engine.backward(batch.results);
  EXPECT_EQ(engine.counters().rounds, rounds) << "no cell of the graph uses it";
  Parameter bias = model.out.bias;
  bias.assign(bias.value());
  (void)engine.backward(batch.results);
  EXPECT_EQ(engine.counters().rounds, 2 * rounds);
}

TEST_P(Rerun, whatever_writes_a_parameter_counts) {
  const auto batch = engine.record(examples, std::cref(model));
  optim::MovingAverage average(model.params, 0.5f);
  optim::SGD sgd(model.params, {.lr = 0.1f});
  const std::string path = std::filesystem::path(testing::TempDir()) / "rerun_test.safetensors";
  const auto check = [&](const char* what) {
    EXPECT_EQ(numbers(engine.backward(batch.results, 0.5f), model), fresh()) << what;
  };
  check("at first");
  io::save(path, {.params = &model.params});
  std::vector<float> table = model.words.value().to_vector();
  for (float& x : table) x += 0.5f;
  model.words.assign({model.words.shape(), table});
  check("assign, of a table");
  average.step(sgd, engine.backward(batch.results, 0.5f));
  check("step");
  average.swap_in();
  check("swap_in");
  average.swap_out();
  check("swap_out");
  io::load(path, {.params = &model.params});
  check("load");
  std::filesystem::remove(path);
}

TEST_P(Rerun, values_that_are_computed_stay_until_then) {
  const auto batch = engine.record(examples, std::cref(model));
  const std::vector<Tensor> before = engine.tensors(batch.results);
  const auto before_data = data(before);
  Parameter weight = model.out.weight;
  std::vector<float> w = weight.value().to_vector();
  for (float& x : w) x = -x;
  weight.assign({weight.shape(), std::move(w)});
  EXPECT_EQ(data(engine.tensors(batch.results)), before_data);
  engine.rerun(batch);
  EXPECT_EQ(data(engine.tensors(batch.results)), data(fresh_values()));
  EXPECT_NE(data(engine.tensors(batch.results)), before_data);
  EXPECT_EQ(data(before), before_data);
  EXPECT_EQ(numbers(engine.backward(batch.results, 0.5f), model), fresh());
}

// Part of the graph has run, and the rest is requested after an update: no value may mix both versions.
TEST_P(Rerun, no_value_is_made_of_two_versions) {
  const auto two = [&](Graph& g, int id) {
    const Expr first = tanh(lookup(g, model.words, id % 8));
    return std::pair(first, sum_elements(first * first));
  };
  const auto batch = engine.record(examples, two);
  std::vector<Expr> firsts, seconds;
  for (const auto& [first, second] : batch.results) {
    firsts.push_back(first);
    seconds.push_back(second);
  }
  (void)engine.tensors(firsts);
  std::vector<float> table = model.words.value().to_vector();
  for (float& x : table) x = 2 * x + 1;
  model.words.assign({model.words.shape(), table});
  const auto got = engine.tensors(seconds);
  const auto now = engine.tensors(firsts);
  for (size_t i = 0; i < got.size(); ++i) {
    float sum = 0;
    for (float x : now[i]) sum += x * x;
    EXPECT_NEAR(got[i][0], sum, 1e-5f);
    EXPECT_NEAR(now[i][0], std::tanh(table[static_cast<size_t>(examples[i]) % 8 * 4]), 1e-6f);
  }
}

TEST_P(Rerun, of_a_graph) {
  Graph g = engine.graph();
  const Expr x = sum_elements(row(g, model.out.bias)), y = x * 2;
  engine.rerun(g);
  EXPECT_EQ(engine.counters().rounds, 0u) << "nothing has run";
  EXPECT_EQ(engine.value(x), 0);
  EXPECT_EQ(engine.value(y), 0);
  Parameter(model.out.bias).assign({{3}, {1, 2, 3}});
  engine.rerun(g);
  EXPECT_EQ(engine.counters().rounds, 4u) << "two, as before";
  EXPECT_EQ(engine.value(x), 6);
  EXPECT_EQ(engine.value(y), 12);
  const Graph::Mark mark = g.mark();
  const Expr z = y + 1;
  EXPECT_EQ(engine.value(z), 13);
  g.revert(mark);
  engine.rerun(g);
  EXPECT_EQ(engine.counters().rounds, 7u);
  EXPECT_EQ(engine.value(y), 12);
  Engine other;
  EXPECT_EQ(error_of([&] { other.rerun(g); }),
            "rerun: the graph belongs to another engine; ask the one that recorded it");
}

TEST_P(Rerun, not_after_infer) {
  const auto batch = engine.record(examples, std::cref(model));
  (void)engine.infer(batch);
  EXPECT_EQ(error_of([&] { engine.rerun(batch); }),
            "rerun: the graph is closed by infer, its rows were reused; record it again");
}

TEST_P(Rerun, not_while_it_is_recorded) {
  Engine one;
  EXPECT_EQ(error_of([&] {
              one.record(examples, [&](Graph& g, int id) {
                one.rerun(g);
                return model(g, id);
              });
            }),
            "rerun: the graph is being recorded; run it again when record or run has ended (example 0)");
}

TEST_P(Rerun, not_where_a_task_has_recorded_by_values) {
  const auto f = [&](Graph& g, int id) -> Task<Expr> {
    const Expr loss = model(g, id);
    const float v = co_await value(loss);
    if (v > 1.1f) co_return loss * 2;
    co_return loss;
  };
  const Tensor bias{{3}, {1, 0, -1}};
  Parameter(model.out.bias).assign(bias);
  const auto batch = engine.record(examples, f);
  const auto before = numbers(engine.backward(batch.results), model);
  EXPECT_EQ(numbers(engine.backward(batch.results), model), before) << "nothing has changed";
  Parameter(model.out.bias).assign(bias);
  const std::string why =
      "the graph cannot run again with other parameters, because tasks recorded calls that depend on computed values; "
      "record "
      "it again";
  EXPECT_EQ(error_of([&] { (void)engine.backward(batch.results); }), "backward: " + why);
  EXPECT_EQ(error_of([&] { engine.rerun(batch); }), "rerun: " + why);
  const Expr more = batch.results[0] + 1;
  EXPECT_EQ(error_of([&] { (void)engine.value(more); }), "graph: " + why);
  auto merged = engine.merge(engine.record(examples, f));
  EXPECT_EQ(error_of([&] { engine.rerun(merged); }), "rerun: " + why);
  merged.shards[0].clear();
  const Expr anew = model(merged.shards[0], 1);
  (void)engine.value(anew);
  engine.rerun(merged);
}

// Host copies of values, which tasks read, are recomputed as well.
TEST_P(Rerun, a_task_that_only_looked_may_run_again) {
  const auto batch = engine.record(examples, [&](Graph& g, int id) -> Task<Expr> {
    const Expr loss = model(g, id);
    co_await value(loss);
    co_return loss;
  });
  Parameter(model.out.bias).assign({{3}, {1, 0, -1}});
  engine.rerun(batch);
  const std::vector<Tensor> want = fresh_values();
  EXPECT_EQ(data(engine.tensors(batch.results)), data(want));
  Graph g = engine.graph();
  const Expr x = sum_elements(row(g, model.out.bias) * 2);
  const auto look = [&]() -> Task<float> { co_return co_await value(x); };
  EXPECT_EQ(run(engine, g, look()), 0);
  Parameter(model.out.bias).assign({{3}, {1, 2, 3}});
  EXPECT_EQ(run(engine, g, look()), 0) << "it is computed";
  engine.rerun(g);
  EXPECT_EQ(run(engine, g, look()), 12);
}

TEST_P(Rerun, what_is_watched_is_of_the_new_parameters) {
  Graph g = engine.graph();
  const Expr x = row(g, model.out.bias), loss = sum_elements(x * x);
  (void)engine.backward(loss);
  Parameter(model.out.bias).assign({{3}, {1, 2, 3}});
  engine.watch(x);
  EXPECT_EQ(engine.backward(loss).of(x).to_vector(), (std::vector<float>{2, 4, 6}));
}

TEST_P(Rerun, what_a_pipeline_prepared_runs_with_the_parameters_of_then) {
  const auto f = [&](Graph& g, uint64_t id) { return model(g, static_cast<int>(id)); };
  Engine other(options());
  Pipeline pipeline(other, 2, f);
  optim::SGD sgd(model.params, {.lr = 0.2f});
  const Minibatch m{{0, 1, 2, 3, 4, 5}, 0};
  for (int i = 0; i < 6; ++i) pipeline.push(m);
  for (int i = 0; i < 6; ++i) {
    const auto batch = engine.record(m, f);
    const Gradients want = engine.backward(batch), got = pipeline.backward();
    EXPECT_EQ(numbers(got, model), numbers(want, model)) << i;
    sgd.step(want);
  }
}

INSTANTIATE_TEST_SUITE_P(, Rerun, testing::Values(1, 3),
                         [](const auto& c) { return "threads_" + std::to_string(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
