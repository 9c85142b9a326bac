// Pipelines: the same bits and the same order as without a pipeline, also after failures.
#include <espalier/engine/pipeline.h>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "exec/executor.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr int size = 16;

// A chain with dropout, whose length depends on the id.
struct Model {
  Lookup words;
  nn::LSTM lstm;
  Parameter out;
  explicit Model(Scope p)
      : words(p.add_lookup("words", 10, {size})), lstm(p / "lstm", size, size), out(p.add("out", {size})) {}

  std::vector<Expr> operator()(Graph& g, uint64_t id) const {
    if (id == 666) throw DataError("this one is bad");
    nn::State state;
    std::vector<Expr> losses;
    for (uint64_t i = 0; i <= id % 7; ++i) {
      state = lstm(dropout(lookup(g, words, static_cast<int>((id + i) % 10)), 0.3f), state);
      const std::vector<float> given(size, static_cast<float>(id + i) / 8);  // the graph keeps a copy until it runs
      losses.push_back(sum_elements(state.h * row(g, out) * input(g, given, {size})));
    }
    return losses;
  }
};

std::vector<Minibatch> minibatches() {
  std::vector<Minibatch> all;
  for (uint64_t k = 0; k < 9; ++k) {
    Minibatch& m = all.emplace_back();
    m.epoch = k / 3;
    for (uint64_t i = 0; i < 1 + k * 3 % 7; ++i) m.ids.push_back(k * 10 + i);
  }
  return all;
}

std::vector<Device> devices() {
  std::vector<Device> all{Device::cpu(), Device::ref()};
  if (why_no_cuda().empty()) all.push_back(Device::cuda());
  return all;
}

// All elements of all parameters, and the losses of the minibatches.
struct Trained {
  std::vector<float> numbers;
  std::vector<float> losses;
  bool operator==(const Trained&) const = default;
};

template <class Gradients>
Trained train(Device device, Gradients&& gradients_of) {
  Parameters params(1);
  const Model model(params);
  optim::Adam adam(params, {.lr = 0.01f});
  Engine engine({.device = device, .seed = 5});
  Trained t;
  gradients_of(engine, model, [&](const espalier::Gradients& g) {
    t.losses.push_back(g.loss().get());
    adam.step(g);
  });
  for (const auto& p : params.all()) {
    const Tensor value = p.value();
    t.numbers.insert(t.numbers.end(), value.begin(), value.end());
  }
  return t;
}

TEST(Pipeline, TrainsToTheSameBits) {
  for (const Device device : devices()) {
    const Trained expected = train(device, [](Engine& engine, const Model& model, auto&& step) {
      for (const Minibatch& m : minibatches()) {
        const auto batch = engine.record(m, model);
        std::vector<Expr> losses;
        for (const auto& of_example : batch.results) losses.insert(losses.end(), of_example.begin(), of_example.end());
        step(engine.backward(losses, 0.5f));
      }
    });
    for (const int threads : {1, 3}) {
      const Trained got = train(device, [&](Engine& engine, const Model& model, auto&& step) {
        Pipeline pipeline(engine, threads, std::cref(model));
        size_t taken = 0;
        for (const Minibatch& m : minibatches()) {
          pipeline.push(m, {.scale = 0.5f});
          if (pipeline.size() > static_cast<size_t>(threads)) step(pipeline.backward()), ++taken;
        }
        EXPECT_GT(taken, 0u);
        while (pipeline.size() > 0) step(pipeline.backward());
      });
      EXPECT_EQ(got, expected) << str(device) << ", " << threads << " threads";
    }
  }
}

TEST(Pipeline, InfersTheSameBits) {
  Parameters params(1);
  const Model model(params);
  for (const Device device : devices()) {
    Engine engine({.device = device});
    Pipeline pipeline(engine, 2, std::cref(model), Mode::infer);
    for (const Minibatch& m : minibatches()) pipeline.push(m);
    std::vector<Inference<std::vector<Expr>>> started;
    while (pipeline.size() > 0) started.push_back(pipeline.start());
    for (size_t k = 0; k < started.size(); ++k) {
      const auto got = started[k].get();
      const auto expected = engine.infer(engine.record(minibatches()[k], model, {.mode = Mode::infer}));
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].size(), expected[i].size());
        for (size_t j = 0; j < got[i].size(); ++j) EXPECT_EQ(got[i][j].to_vector(), expected[i][j].to_vector());
      }
    }
  }
}

// A failure is thrown when its minibatch is taken, with the message of record(); other minibatches are unaffected.
TEST(Pipeline, GoesOnBehindABadMinibatch) {
  Parameters params(1);
  const Model model(params);
  Engine engine({.threads = 2});
  Pipeline pipeline(engine, 2, std::cref(model));
  pipeline.push({{1, 2}, 0});
  pipeline.push({{3, 666, 4}, 0});
  pipeline.push({{1, 2}, 0});
  const Gradients first = pipeline.backward();
  std::string expected, got;
  try {
    engine.record(Minibatch{{3, 666, 4}, 0}, model);
  } catch (const DataError& e) {
    expected = e.what();
  }
  try {
    pipeline.backward();
  } catch (const DataError& e) {
    got = e.what();
  }
  EXPECT_NE(expected.find("this one is bad"), std::string::npos);
  EXPECT_EQ(got, expected);
  const Gradients third = pipeline.backward();
  EXPECT_EQ(first.loss().get(), third.loss().get());
}

TEST(Pipeline, CanBeLeftInTheMiddle) {
  Parameters params(1);
  const Model model(params);
  Engine engine;
  {
    Pipeline pipeline(engine, 3, std::cref(model));
    for (int round = 0; round < 5; ++round)
      for (const Minibatch& m : minibatches()) pipeline.push(m);
    pipeline.backward();
  }
  EXPECT_EQ(engine.infer(engine.record(std::vector<uint64_t>{4}, model, {.mode = Mode::infer})).size(), 1u);
}

TEST(Pipeline, SharesItsEngine) {
  Parameters params(1);
  const Model model(params);
  Engine engine;
  Pipeline pipeline(engine, 1, std::cref(model));
  pipeline.push({{1, 2, 3}, 0});
  Graph g = engine.graph();
  const Expr other = sum_elements(row(g, model.out));
  const float before = engine.value(other);
  pipeline.backward();
  EXPECT_EQ(engine.value(other), before);
  EXPECT_EQ(engine.counters().rounds, 2u);
}

// A pipeline takes over a session's memory: values of earlier graphs in it are stale.
TEST(Pipeline, LeavesNothingStale) {
  Parameters params(1);
  const Model model(params);
  Engine engine;
  Expr kept;
  {
    Graph g = engine.graph();
    kept = sum_elements(row(g, model.out));
    engine.value(kept);
  }
  Pipeline pipeline(engine, 1, std::cref(model));
  EXPECT_THROW(engine.value(kept), GraphError);
}

// A pipeline makes the same shards as Engine::record; option `mean` gives the gradients of the mean loss.
TEST(Pipeline, CutsMinibatchesAsTheEngineDoes) {
  Parameters params(1);
  const Model model(params);
  Engine engine({.threads = 3, .seed = 5});
  Pipeline pipeline(engine, 2, std::cref(model));
  const std::vector<uint32_t> sizes{9, 1, 1, 1, 2, 7, 1};
  const auto sizes_of = [&](const Minibatch& m) { return std::span(sizes).first(m.ids.size()); };
  for (const Minibatch& m : minibatches()) pipeline.push(m, {.mean = true, .sizes = sizes_of(m)});
  for (const Minibatch& m : minibatches()) {
    const auto batch = engine.record(m, model, {.sizes = sizes_of(m)});
    std::vector<Expr> losses;
    for (const auto& of_example : batch.results) losses.insert(losses.end(), of_example.begin(), of_example.end());
    const Gradients expected = engine.backward(losses, 1 / static_cast<float>(losses.size())),
                    got = pipeline.backward();
    EXPECT_EQ(pipeline.taken(), losses.size());
    EXPECT_EQ(got.loss().get(), expected.loss().get());
    for (const Parameter& p : params.all()) EXPECT_EQ(got.of(p).to_vector(), expected.of(p).to_vector()) << p.name();
  }
  pipeline.push({});
  EXPECT_EQ(pipeline.backward().loss().get(), 0);
  EXPECT_EQ(pipeline.taken(), 0u);
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Pipeline, SaysWhatIsWrong) {
  Parameters params(1);
  const Model model(params);
  Engine engine;
  EXPECT_EQ(error_of([&] { Pipeline(engine, 0, std::cref(model)); }), "pipeline: threads = 0; at least one is needed");
  Pipeline trains(engine, 1, std::cref(model));
  EXPECT_EQ(error_of([&] { trains.backward(); }), "pipeline: no minibatch is left; push() asks for one");
  EXPECT_EQ(error_of([&] { trains.start(); }), "pipeline: it was made for training; start() needs mode infer");
  Pipeline infers(engine, 1, std::cref(model), Mode::infer);
  infers.push({{1}, 0});
  infers.push({{2, 3}, 0});
  EXPECT_EQ(error_of([&] { infers.backward(); }), "pipeline: it was made for inference; backward() needs mode train");
  EXPECT_EQ(infers.start().get().size(), 1u);  // the failed backward() did not remove a minibatch
  Pipeline vectors(engine, 1, [&](Graph& g, uint64_t) { return row(g, model.out); });
  vectors.push({{1}, 0});
  EXPECT_EQ(error_of([&] { vectors.backward(); }), "backward: a loss is [16]; it must be a scalar: sum_elements(loss)");
  EXPECT_EQ(error_of([&] { trains.push({{1, 2, 3}, 0}, {.sizes = std::vector<uint32_t>{1}}); }),
            "record: 1 sizes are given for 3 examples; one each is needed");
  EXPECT_EQ(trains.size(), 0u);
  Engine at_once({.immediate = true});
  EXPECT_EQ(error_of([&] { Pipeline(at_once, 1, std::cref(model)); }),
            "pipeline: the engine runs every call when it is recorded (immediate)");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
