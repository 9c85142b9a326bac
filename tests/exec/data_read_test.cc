// The range of input data that a plan reads; each round of a graph reads its own.
#include <gtest/gtest.h>

#include "exec/data_read.h"

#include <numeric>

#include <espalier/espalier.h>
#include "graph/tape.h"

namespace espalier {
namespace ESPALIER_FILE {

class Rounds {
 public:
  explicit Rounds(const GraphTape& tape) : tape_(tape) {}

  // Plans the calls that were recorded since the last time.
  Range next() {
    std::vector<uint32_t> calls(tape_.calls() - planned_);
    std::iota(calls.begin(), calls.end(), planned_);
    planned_ = tape_.calls();
    scheduler_.run(tape_, calls, Policy::automatic, schedule_);
    planner_.plan(tape_, schedule_, {}, {}, layout_, plan_);
    return data_read(plan_, layout_);
  }
  Range backward(uint32_t loss) {
    BackwardPlanner().plan(tape_, layout_, {&loss, 1}, 1, {}, {}, plan_);
    return data_read(plan_, layout_);
  }

 private:
  const GraphTape& tape_;
  uint32_t planned_ = 0;
  Scheduler scheduler_;
  Schedule schedule_;
  ForwardPlanner planner_;
  Layout layout_;
  Plan plan_;
};

TEST(DataRead, EachRoundReadsItsOwn) {
  Parameters params(1);
  const nn::Linear linear(params, 5, 5);
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  Rounds rounds(g.tape());
  Expr h = input(g, std::vector<float>(5), {5});
  uint64_t end = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 3; ++i) h = tanh(linear(h) + input(g, std::vector<float>(5), {5}));
    const Range read = rounds.next();
    EXPECT_EQ(read.offset, end) << "round " << round;
    end = read.offset + read.size;
    EXPECT_EQ(end, g.tape().data.size());
  }
  h = tanh(linear(h));
  EXPECT_EQ(rounds.next().size, 0u) << "a round without inputs";
  h = sum_elements(h);
  rounds.next();
  EXPECT_EQ(rounds.backward(h.id()).size, 0u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
