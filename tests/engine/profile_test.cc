// profile: its sums and its text.
#include "engine/profile.h"

#include <sstream>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "exec/executor.h"

namespace espalier {
namespace ESPALIER_FILE {

PlanStep step_of(const Program& program, bool backward, uint32_t rows) {
  PlanStep step;
  step.program = &program;
  step.backward = backward;
  step.rows = rows;
  return step;
}

void spend(CellTimes::Entry& entry, KernelStats::Kind kind, uint64_t launches, double seconds) {
  entry.stats.launches[kind] += launches;
  entry.stats.seconds[kind] += seconds;
}

TEST(Profile, OfAGpuTellsTheHostAndTheDeviceApart) {
  Program leaf, node;
  leaf.name = "leaf";
  node.name = "node";
  detail::ParameterStorage W;
  W.name = "node.W";
  CellTimes first, second;
  const std::vector<PlanStep> persistent{step_of(leaf, false, 5), step_of(node, false, 3), step_of(node, false, 1)};
  spend(first.of(persistent), KernelStats::persistent, 1, 0.002);
  const PlanStep back = step_of(node, true, 4), again = step_of(node, true, 2);
  spend(first.of({&back, 1}), KernelStats::product, 2, 0.004);
  spend(first.of({&back, 1}), KernelStats::elementwise, 1, 0.0005);
  spend(first.of(W, 9), KernelStats::accumulate, 1, 0.001);
  spend(second.of({&again, 1}), KernelStats::product, 1, 0.0015);
  first.add(second);

  Counters c;
  c.rounds = 1;
  c.calls = 15;
  c.steps = 5;
  c.launches = 7;
  c.record_s = 0.003;
  c.plan_s = 0.001;
  c.product_s = 0.0055;
  c.elementwise_s = 0.0005;
  c.accumulate_s = 0.001;
  c.persistent_s = 0.002;
  c.update_s = 0.001;
  EngineOptions options{.device = Device::cuda(1), .timed = true};
  EXPECT_EQ(detail::profile(c, options, first),
            "1 rounds, 15 calls in 5 steps, 7 launches, 0 B copied\n"
            "host\n"
            "  record                3.000 ms   75.0 %\n"
            "  schedule              0.000 ms    0.0 %\n"
            "  plan                  1.000 ms   25.0 %\n"
            "cuda:1\n"
            "  gather                0.000 ms    0.0 %\n"
            "  product               5.500 ms   55.0 %\n"
            "  elementwise           0.500 ms    5.0 %\n"
            "  other ops             0.000 ms    0.0 %\n"
            "  weight gradients      1.000 ms   10.0 %\n"
            "  walk                  2.000 ms   20.0 %\n"
            "  update                1.000 ms   10.0 %\n"
            "  by cell               steps       rows launches         ms       %    product  elementwise       walk  "
            "weight gradients\n"
            "  node, backward            3         10        4      6.000    66.7      5.500        0.500      0.000  "
            "           0.000\n"
            "  leaf + node               3          9        1      2.000    22.2      0.000        0.000      2.000  "
            "           0.000\n"
            "  gradient of node.W        1          9        1      1.000    11.1      0.000        0.000      0.000  "
            "           1.000\n");

  first.reset();
  options.timed = false;
  const std::string untimed = detail::profile(c, options, first);
  EXPECT_TRUE(untimed.ends_with("cuda:1: not timed; the engine option timed = true measures it\n")) << untimed;
}

// A chain of a cell over words, and a loss.
struct Model {
  Parameters params{3};
  nn::Embedding words{params / "words", 10, 4};
  nn::LSTM lstm{params / "lstm", 4, 8};
  nn::Linear out{params / "out", 8, 3};
  const std::vector<std::vector<int>> sentences{{3, 1, 4, 1, 5}, {9, 2, 6}, {5, 3}, {5, 8, 9, 7}};

  std::vector<float> train(Engine& engine) const {
    const auto batch = engine.record(sentences, [&](Graph& g, const std::vector<int>& sentence) {
      nn::State s;
      for (int word : sentence) s = lstm(words(g, word), s);
      return cross_entropy(out(s.h), 1);
    });
    const Gradients gradients = engine.backward(batch.results);
    return gradients.of(out.weight).to_vector();
  }
};

uint64_t launches_by_cell(const std::string& profile) {
  std::istringstream lines(profile.substr(profile.find("by cell")));
  std::string line;
  std::getline(lines, line);
  uint64_t all = 0;
  while (std::getline(lines, line)) {
    std::istringstream columns(line.substr(line.find("  ", 3)));
    uint64_t steps = 0, rows = 0, launches = 0;
    columns >> steps >> rows >> launches;
    EXPECT_GT(steps, 0u) << line;
    EXPECT_GT(rows, 0u) << line;
    all += launches;
  }
  return all;
}

TEST(Profile, EveryLaunchBelongsToACellOrAParameter) {
  const Model model;
  for (const int threads : {1, 2}) {
    Engine engine({.threads = threads});
    model.train(engine);
    EXPECT_EQ(engine.profile().find("by cell"), std::string::npos);
    engine.reset_counters();
    engine.set_timed(true);
    model.train(engine);
    const std::string text = engine.profile();
    for (const char* name : {"  words.lookup ", "  lstm.next ", "  lstm.next, backward ", "  gradient of out.weight ",
                             "  gradient of words.weight "})
      EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
    EXPECT_EQ(launches_by_cell(text), engine.counters().launches) << text;
    engine.reset_counters();
    EXPECT_EQ(engine.profile().find("by cell"), std::string::npos);
  }
}

TEST(Profile, OnAGpuTimesAreTheDevices) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  const Model model;
  Engine engine({.device = Device::cuda()});
  engine.wait();
  engine.reset_counters();  // drops the counts of other tests
  const std::vector<float> untimed = model.train(engine);
  engine.wait();
  const Counters before = engine.counters();
  EXPECT_EQ(before.product_s + before.persistent_s + before.accumulate_s + before.gather_s, 0);
  engine.reset_counters();
  engine.set_timed(true);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(model.train(engine), untimed);
  const std::string text = engine.profile();
  const Counters c = engine.counters();
  EXPECT_EQ(c.launches, 50 * before.launches) << text;
  EXPECT_GT(c.product_s + c.persistent_s, 0) << text;
  EXPECT_GT(c.accumulate_s, 0) << text;
  EXPECT_GT(c.other_s, 0) << text;
  EXPECT_NE(text.find("\ncuda:0\n  gather"), std::string::npos) << text;
  EXPECT_NE(text.find("  gradient of out.weight "), std::string::npos) << text;
}

TEST(Profile, ALargeProductHasARate) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  const double f32 = cuda_product_rate(0, Precision::f32), tf32 = cuda_product_rate(0, Precision::tf32);
  EXPECT_GT(f32, 1e12);
  EXPECT_GT(tf32, f32);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
