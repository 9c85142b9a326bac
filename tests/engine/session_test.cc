// A round that fails or is discarded leaves a session as it was.
#include "engine/session/session.h"

#include <gtest/gtest.h>

#include <limits>

#include <espalier/espalier.h>
#include "expr/record.h"
#include "support/error_of.h"

namespace espalier::detail {
namespace ESPALIER_FILE {

// An executor that fails on demand, and records the size of each plan in elements.
class Failing final : public Executor {
 public:
  explicit Failing(std::unique_ptr<Executor> inner) : inner_(std::move(inner)) {}
  void run(const Plan& plan, const ExecutionInputs& inputs) override {
    if (fails) throw DeviceError("no memory");
    elements.push_back(plan.elements);
    inner_->run(plan, inputs);
  }
  void accumulate(const Plan& plan, const ExecutionInputs& inputs, GradientState& to) override {
    inner_->accumulate(plan, inputs, to);
  }
  void read(std::span<const Range> rows, float* out) override { inner_->read(rows, out); }
  void add_sum(std::span<const uint64_t> offsets, double factor, LossSum& to) override {
    inner_->add_sum(offsets, factor, to);
  }
  size_t bytes() const override { return inner_->bytes(); }
  size_t growths() const override { return inner_->growths(); }
  void poison_all() override { inner_->poison_all(); }

  bool fails = false;
  std::vector<uint64_t> elements;

 private:
  std::unique_ptr<Executor> inner_;
};

struct Outcome {
  std::vector<uint64_t> elements;
  std::vector<float> value, gradient;
  uint64_t rounds = 0, calls = 0, steps = 0;
  bool operator==(const Outcome&) const = default;
};

// Runs two rounds and a backward pass. Before each round, `failures` attempts fail, and as many plans are discarded.
Outcome run(int failures) {
  Parameters params(1);
  const nn::Linear layer(params / "layer", 3, 3);
  const auto executor = std::make_shared<Failing>(make_executor(Device::cpu()));
  const auto session = std::make_shared<Session>(EngineOptions{}, executor);
  session->start(true, 0, 0);
  Graph g(std::shared_ptr<GraphTape>(session, &session->tape));
  const auto attempt = [&](uint32_t value) {
    executor->fails = true;
    for (int i = 0; i < failures; ++i) EXPECT_EQ(test::error_of([&] { session->run({&value, 1}); }), "no memory");
    executor->fails = false;
    for (int i = 0; i < failures; ++i) session->discard(session->plan({&value, 1}, false));
    session->run({&value, 1});
  };
  const Expr x = tanh(layer(input(g, std::vector<float>{1, 2, 3}, {3})));
  attempt(x.id());
  const Expr loss = sum_elements(tanh(layer(x + layer(x))));
  attempt(loss.id());
  const uint32_t value = loss.id();
  GradientState gradients;
  session->backward({&value, 1}, 1, gradients);
  Outcome o;
  o.elements = executor->elements;
  o.value = session->read(value).to_vector();
  const auto& gradient = gradients.find(layer.weight.storage().get())->values.host();
  o.gradient.assign(gradient.begin(), gradient.end());
  Counters c;
  session->count(c);
  o.rounds = c.rounds;
  o.calls = c.calls;
  o.steps = c.steps;
  return o;
}

TEST(Session, a_failed_round_leaves_nothing_behind) {
  const Outcome want = run(0);
  EXPECT_EQ(want.elements.size(), 3u);
  EXPECT_EQ(want.rounds, 2u);
  for (const int failures : {1, 5}) EXPECT_EQ(run(failures), want) << failures;
}

TEST(Session, planned_rounds_reuse_memory) {
  const auto session = std::make_shared<Session>(EngineOptions{});
  session->start(true, 0, 0);
  Graph g(std::shared_ptr<GraphTape>(session, &session->tape));
  std::vector<const void*> memory;
  for (int minibatch = 0; minibatch < 3; ++minibatch) {
    g.clear();
    const uint32_t loss = sum_elements(tanh(input(g, std::vector<float>{1, 2, 3}, {3}))).id();
    PlannedRound round = session->plan({&loss, 1}, false);
    PlannedBackward backward = session->plan_backward({&loss, 1}, 1);
    memory.insert(memory.end(), {round.schedule.order.data(), round.plan.steps.data(), backward.loss_rows.data()});
    GradientState gradients;
    session->run(std::move(round));
    session->run(std::move(backward), gradients);
    EXPECT_EQ(memory[memory.size() - 3], memory[0]);
    EXPECT_EQ(memory[memory.size() - 2], memory[1]);
    EXPECT_EQ(memory[memory.size() - 1], memory[2]);
  }
}

TEST(Session, an_input_that_is_refused_leaves_no_numbers) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<float> numbers(100, 1.f);
  (void)engine.value(sum_elements(input(g, numbers, {100})));
  EXPECT_EQ(g.tape().data.size(), 100u);
  EXPECT_EQ(test::error_without_line([&] { input(g, numbers, {50}); }),
            "input: 100 numbers are given for [50]; it needs 50 (session_test.cc)");
  EXPECT_EQ(g.tape().data.size(), 100u);
  g.tape().closed = true;
  EXPECT_EQ(test::error_without_line([&] { input(g, numbers, {100}); }),
            "input: the graph is closed by infer, its rows were reused; record it again (session_test.cc)");
  EXPECT_EQ(g.tape().data.size(), 100u);

  Engine at_once({.immediate = true});
  Graph h = at_once.graph();
  EXPECT_THROW(input(h, std::numeric_limits<float>::quiet_NaN()), NumberError);
  EXPECT_EQ(h.tape().data.size(), 0u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::detail
