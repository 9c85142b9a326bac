// Late initialisation: values drawn at the first access, by initialize, or not at all, equal values drawn at once.
#include <gtest/gtest.h>

#include <thread>

#include <espalier/engine/check_gradients.h>
#include <espalier/espalier.h>
#include <espalier/optim/moving_average.h>
#include "errors/error_test.h"
#include "io/folder.h"
#include "optim/textbook.h"
#include "param/parameter_storage.h"
#include "tensor/fake_device.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using io::Folder;
using Values = std::vector<float>;

// An Init for each kind, for a [3,2].
Init sample(Init::Kind kind) {
  switch (kind) {
    case Init::Kind::constant:
      return init::constant(0.5f);
    case Init::Kind::uniform:
      return init::uniform(-1, 2);
    case Init::Kind::normal:
      return init::normal(1, 3);
    case Init::Kind::glorot:
      return init::glorot(2);
    case Init::Kind::he:
      return init::he();
    case Init::Kind::orthogonal:
      return init::orthogonal(3);
    case Init::Kind::identity:
      return init::identity(2);
    case Init::Kind::data:
      break;
  }
  return init::from({1, 2, 3, 4, 5, 6});
}

constexpr uint64_t seed = 7;

Values at_once(Init::Kind kind) {
  Parameters params(seed);
  return (params / "encoder" / "lstm").add("U", {3, 2}, sample(kind)).value().to_vector();
}

struct LateInit : testing::TestWithParam<int> {
  Init::Kind kind = static_cast<Init::Kind>(GetParam());
  Init how = sample(kind);
  bool is_random = detail::depends_on_name(how);
};

TEST_P(LateInit, DrawsTheSameBitsAsAtOnce) {
  const Values want = at_once(kind);
  {
    Parameters params(seed, Drawn::late);
    const Parameter p = (params / "encoder" / "lstm").add("U", {3, 2}, how);
    EXPECT_FALSE(p.drawn());
    EXPECT_EQ(p.value().to_vector(), want) << "first use";
    EXPECT_TRUE(p.drawn());
  }
  {
    Parameters params(seed, Drawn::late);
    const Parameter p = Scope(params).add("V", {3, 2}, how);
    params.set_prefix("encoder.lstm");
    Parameter(p).rename("U");
    EXPECT_EQ(p.value().to_vector(), want) << "first use, named later";
  }
  {
    Parameters params(1, Drawn::late);
    params.set_prefix("encoder.lstm");
    const Parameter p = Scope(params).add("U", {3, 2}, how);
    params.initialize(seed);
    EXPECT_TRUE(p.drawn());
    EXPECT_EQ(p.value().to_vector(), want) << "initialize";
  }
  {
    Parameter p = Parameter::make({3, 2}, how);
    EXPECT_FALSE(p.drawn());
    p.rename("encoder.lstm.U");
    p.initialize(seed);
    EXPECT_EQ(p.value().to_vector(), want) << "without Parameters";
  }
  {
    Lookup p = Lookup::make(3, {2}, how);
    p.rename("encoder.lstm.U");
    p.initialize(seed);
    EXPECT_EQ(p.value().to_vector(), want) << "a table";
  }
}

TEST_P(LateInit, DrawsAgain) {
  Parameters params(seed);
  Parameter p = (params / "encoder" / "lstm").add("U", {3, 2}, how);
  const Values before = p.value().to_vector(), other(6, 42);
  p.assign({{3, 2}, other});
  p.freeze();
  params.initialize(seed);
  EXPECT_EQ(p.value().to_vector(), kind == Init::Kind::data ? other : before)
      << "values given by Init are not kept twice";
  params.initialize(seed + 1);
  EXPECT_EQ(p.value().to_vector() != before, is_random || kind == Init::Kind::data);
  (params / "encoder" / "lstm").add("W", {3, 2}, how);
  EXPECT_EQ(params.count(), 12u);
}

TEST_P(LateInit, WithoutANameIsAnErrorIfItIsRandom) {
  Parameter p = Parameter::make({3, 2}, how);
  if (!is_random) {
    EXPECT_EQ(p.value().to_vector(), at_once(kind));
    return;
  }
  const char* text =
      "parameter [3,2]: it has no name and no values, and initial values depend on the name; give "
      "it a name, or assign values";
  EXPECT_ERROR(GraphError, text, p.value());
  EXPECT_ERROR(GraphError, text, p.initialize(3));
  EXPECT_FALSE(p.drawn());
  p.assign({{3, 2}, Values(6, 42)});
  EXPECT_EQ(p.value().to_vector(), Values(6, 42));
  p.rename("encoder.lstm.U");
  EXPECT_EQ(p.value().to_vector(), Values(6, 42)) << "a name changes no values";
  p.initialize(seed);
  EXPECT_EQ(p.value().to_vector(), at_once(kind));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LateInit, testing::Range(0, static_cast<int>(Init::Kind::data) + 1));

struct Model {
  Parameters params;
  nn::Embedding words;
  nn::TreeLSTM lstm;
  nn::Linear out;
  explicit Model(Drawn drawn, std::string_view prefix = "")
      : params(seed, drawn),
        words(at(prefix) / "words", 20, 5),
        lstm(at(prefix) / "lstm", 5, 4),
        out(at(prefix) / "out", 4, 3) {}
  Scope at(std::string_view prefix) { return prefix.empty() ? Scope(params) : params / prefix; }
  Expr loss(Graph& g, int i) const {
    const nn::State left = lstm.leaf(words(g, i)), right = lstm.leaf(words(g, i + 1));
    return cross_entropy(out(lstm.node(left, right).h), i % 3);
  }
  size_t drawn() const {
    size_t n = 0;
    for (const Parameter& p : params.all()) n += p.drawn();
    return n;
  }
  std::vector<Values> values() const {
    std::vector<Values> all;
    for (const Parameter& p : params.all()) all.push_back(p.value().to_vector());
    return all;
  }
};

const std::vector<int> examples{0, 5, 3, 7, 1, 2, 4, 6};

auto record(Engine& engine, const Model& m) {
  return engine.record(examples, [&](Graph& g, int i) { return m.loss(g, i); });
}

struct LateOn : testing::TestWithParam<Device> {
  Engine engine{{.device = GetParam()}};
};

TEST_P(LateOn, TrainingIsTheSame) {
  Model eager(Drawn::at_once, "encoder"), late(Drawn::late);
  late.params.set_prefix("encoder");
  optim::Adam eager_adam(eager.params), late_adam(late.params);
  for (int step = 0; step < 3; ++step) {
    const Gradients a = engine.backward(record(engine, eager).results);
    auto batch = record(engine, late);
    if (step == 0) {
      EXPECT_EQ(late.drawn(), 0u) << "recording draws nothing";
      (void)engine.explain(batch);
      EXPECT_EQ(late.drawn(), 0u) << "neither does explain";
    }
    const Gradients b = engine.backward(batch.results);
    EXPECT_EQ(a.loss().get(), b.loss().get());
    eager_adam.step(a);
    late_adam.step(b);
  }
  EXPECT_EQ(late.values(), eager.values());
  EXPECT_EQ(late.params.all()[0].name(), eager.params.all()[0].name());
}

// No row was computed with other values, so nothing is out of date.
TEST_P(LateOn, TheFirstUseIsNoChange) {
  Model m(Drawn::late);
  Graph g = engine.graph();
  auto task = [&]() -> Task<Expr> {
    const Expr h = m.lstm.leaf(m.words(g, 1)).h;
    const std::span<const float> read = co_await values(h);
    EXPECT_FALSE(read.empty());
    EXPECT_FALSE(m.params["out.weight"].drawn());
    co_return cross_entropy(m.out(h), 1);
  };
  const Expr loss = run(engine, g, task());
  const uint64_t version = detail::latest_parameter_version;
  (void)engine.backward(loss);
  EXPECT_EQ(engine.counters().rounds, 2u) << "the second round ran the rest";
  EXPECT_TRUE(m.params["out.weight"].drawn());
  EXPECT_EQ(detail::latest_parameter_version, version);
}

TEST_P(LateOn, InitializeIsAChange) {
  Model eager(Drawn::at_once), late(Drawn::late);
  auto batch = record(engine, late), wanted = record(engine, eager);
  late.params.initialize(3);
  EXPECT_EQ(late.drawn(), late.params.all().size());
  const float first = engine.backward(batch.results).loss().get();
  late.params.initialize(seed);
  const float second = engine.backward(batch.results).loss().get();
  EXPECT_NE(first, second);
  EXPECT_EQ(second, engine.backward(wanted.results).loss().get());
}

TEST_P(LateOn, AnUnnamedOneIsAnErrorOfTheRun) {
  Parameters params(seed, Drawn::late);
  Parameter U = Parameter::make({3, 2}), b = Parameter::make({3}, init::constant(1));
  Lookup table = Lookup::make(4, {2});
  const auto node = Scope(params).cell("node", {{2}}, [&](Expr x) { return tanh(linear(x, U, b)); });
  EXPECT_EQ(U.name(), "");
  EXPECT_NE(node.explain().find("parameter unnamed :[3,2]"), std::string::npos) << node.explain();
  Graph g = engine.graph();
  EXPECT_ERROR(ShapeError, "linear: W[3,2] does not apply to x[4]; W must be [m,n] with n = 4 (@)",
               linear(input(g, Values(4), {4}), U));
  const Expr y = sum_elements(node(lookup(g, table, 1)));
  EXPECT_ERROR(IndexError, "lookup in unnamed[4,2]: index 4 is out of range; it must be 0…3 (@)", lookup(g, table, 4));
  EXPECT_ERROR(GraphError,
               "parameter [4,2]: it has no name and no values, and initial values depend on the name; give "
               "it a name, or assign values",
               engine.value(y));
  table.rename("words");
  EXPECT_ERROR(GraphError,
               "parameter [3,2]: it has no name and no values, and initial values depend on the name; give "
               "it a name, or assign values",
               engine.value(y));
  U.rename("lstm.U");
  const Gradients gradients = engine.backward(y);
  EXPECT_NE(gradients.of(U).to_vector(), Values(6));
  EXPECT_EQ(b.value().to_vector(), Values(3, 1));
  EXPECT_NE(node.explain().find("parameter lstm.U :[3,2]"), std::string::npos) << node.explain();
  Parameter same = Parameter::make({3, 2});
  same.rename("lstm.U");
  EXPECT_EQ(same.value().to_vector(), U.value().to_vector()) << "without Parameters, the seed is 0";
  same.initialize(0);
  EXPECT_EQ(same.value().to_vector(), U.value().to_vector());
}

INSTANTIATE_TEST_SUITE_P(Devices, LateOn, testing::Values(Device::cpu(), Device::ref()));

struct Late : Errors {
  Parameters lazy{seed, Drawn::late};
  Parameter p = (lazy / "a").add("w", {3, 2});
  Values want = Parameters(seed).operator Scope().operator/("a").add("w", {3, 2}).value().to_vector();
};

TEST_F(Late, AnyAccessDraws) {
  const Folder folder;
  FakeDevice device;
  const auto draws = [&](const char* what, auto access) {
    Parameters owner(seed, Drawn::late);
    const Parameter w = (owner / "a").add("w", {3, 2});
    access(owner, w);
    EXPECT_TRUE(w.drawn()) << what;
    EXPECT_EQ(w.value().to_vector(), want) << what;
  };
  draws("save", [&](Parameters& owner, const Parameter&) { io::save(folder / "f", {&owner}); });
  draws("optimiser", [&](Parameters& owner, const Parameter& w) {
    optim::SGD sgd(owner, {.lr = 0});
    EXPECT_FALSE(w.drawn());
    sgd.step(optim::Given().dense(w, Values(6, 1)).get());
  });
  draws("moving average", [](Parameters& owner, const Parameter&) { optim::MovingAverage average(owner, 0.5f); });
  draws("swap", [](Parameters& owner, const Parameter&) {
    optim::MovingAverage average(owner, 0.5f);
    average.swap_in();
    average.swap_out();
  });
  draws("check_gradients", [](Parameters& owner, const Parameter& w) {
    EXPECT_EQ(check_gradients(owner, [&](Graph& g) { return sum_elements(linear(row(g, 2), w)); }).wrong.size(), 0u);
  });
  draws("device", [&](Parameters&, const Parameter& w) { (void)w.storage()->data.on(device); });
  draws("writing on a device", [&](Parameters&, const Parameter& w) { (void)w.storage()->data.to_write_on(device); });
  draws("writing", [](Parameters&, const Parameter& w) { (void)w.storage()->data.host_to_write(); });
  Parameters there(seed);
  (void)(there / "a").add("w", {3, 2}, init::constant(0));
  (void)io::load(folder / "f", {&there});
  EXPECT_EQ(there["a.w"].value().to_vector(), want) << "the file holds the drawn values";
}

TEST_F(Late, LoadingAndAssigningDrawNothing) {
  const Folder folder;
  Parameters saved(3);
  const Tensor kept = (saved / "a").add("w", {3, 2}).value();
  io::save(folder / "f", {&saved});
  (void)io::load(folder / "f", {&lazy});
  EXPECT_TRUE(p.drawn());
  EXPECT_EQ(p.value().to_vector(), kept.to_vector());
  const Parameter q = (lazy / "b").add("w", {3, 2});
  Parameter(q).assign(kept);
  EXPECT_EQ(q.value().to_vector(), kept.to_vector());
  // A graph that was recorded before runs with the loaded values.
  Parameter unnamed = Parameter::make({3, 2});
  Graph g = engine.graph();
  const Expr y = linear(row(g, 2), unnamed), z = linear(row(g, 2), q);
  unnamed.assign(kept);
  EXPECT_EQ(engine.tensor(y).to_vector(), engine.tensor(z).to_vector());
}

// The seed in the file is the seed of parameters that the file does not have.
TEST_F(Late, ALoadedSeedIsUsed) {
  const Folder folder;
  Parameters saved(3);
  (void)(saved / "b").add("w", {3, 2});
  io::save(folder / "f", {&saved});
  (void)io::load(folder / "f", {&lazy}, false);
  EXPECT_FALSE(p.drawn());
  EXPECT_EQ(p.value().to_vector(), (saved / "a").add("w", {3, 2}).value().to_vector());
}

TEST_F(Late, WrongInitsAreErrorsWhenTheyAreGiven) {
  EXPECT_ERROR(ShapeError, "c: [3] cannot be orthogonal; a matrix is needed",
               Scope(lazy).add("c", {3}, init::orthogonal()));
  EXPECT_ERROR(ShapeError, "unnamed: [3] cannot be the identity; a matrix is needed",
               Parameter::make({3}, init::identity()));
  EXPECT_ERROR(ShapeError, "unnamed: 1 values are given for [2,2]; it needs 4", Lookup::make(2, {2}, init::from({1})));
  EXPECT_EQ(lazy.all().size(), 1u);
}

TEST_F(Late, TheSummaryShowsIt) {
  EXPECT_EQ(lazy.summary(),
            "name   shape   values\n"
            "a.w    [3,2]        6  not drawn\n"
            "total               6\n");
}

TEST_F(Late, ParametersNeedNotExistAtTheFirstUse) {
  std::optional<Parameters> gone(std::in_place, seed, Drawn::late);
  gone->set_prefix("a");
  const Parameter w = Scope(*gone).add("w", {3, 2});
  gone.reset();
  EXPECT_EQ(w.value().to_vector(), want);
}

TEST_F(Late, ManyThreadsMayBeFirst) {
  for (int round = 0; round < 20; ++round) {
    const Model eager(Drawn::at_once), late(Drawn::late);
    Engine two({.threads = 2});
    const float want_loss = two.backward(record(two, eager).results).loss().get();
    EXPECT_EQ(two.backward(record(two, late).results).loss().get(), want_loss) << "threads of one engine";

    const Model other(Drawn::late);
    float losses[2] = {};
    const auto use = [&](float& loss) {
      Engine own({.threads = 2});
      loss = own.backward(record(own, other).results).loss().get();
    };
    std::thread thread(use, std::ref(losses[0]));
    use(losses[1]);
    thread.join();
    EXPECT_EQ(losses[0], want_loss) << "two engines";
    EXPECT_EQ(losses[1], want_loss);
    EXPECT_EQ(other.values(), eager.values());
  }
}

// The memory of a parameter without Parameters is freed after its last handle, cell and graph.
TEST_F(Late, ItIsFreed) {
  std::weak_ptr<detail::ParameterStorage> freed;
  Graph g = engine.graph();
  {
    Parameter w = Parameter::make({3, 2}, init::from({1, 2, 3, 4, 5, 6}));
    freed = w.storage();
    const Expr y = sum_elements(linear(row(g, 2), w));  // outside a cell: the tape caches a cell that holds w
    EXPECT_EQ(engine.value(y), 21);
    EXPECT_EQ(engine.backward(y).of(w).to_vector(), Values(6, 1));
    EXPECT_TRUE(w.storage()->init.data.empty()) << "given values are not kept twice";
    g.clear();
    const Parameter copy = w;
    w = Parameter();
    (void)linear(row(g, 2), copy);
    g.clear();
    EXPECT_FALSE(copy.storage()->detached);
  }
  ASSERT_FALSE(freed.expired()) << "the tape and the pooled gradients hold it";
  g.clear();
  (void)engine.backward(sum_elements(row(g, 1)));
  EXPECT_TRUE(freed.expired());

  std::optional<Parameters> gone(std::in_place, seed, Drawn::late);
  freed = Scope(*gone).add("never used", {2}).storage();
  EXPECT_FALSE(freed.expired());
  gone.reset();
  EXPECT_TRUE(freed.expired());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
