// Engines with little memory or address space.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include <espalier/nn/linear.h>
#include <espalier/optim/optimizer.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

size_t address_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmSize:")) return std::stoul(line.substr(7)) * 1024;
  return 0;
}

// The result of f in a child process whose address space may grow by `bytes`.
int with_addresses(size_t bytes, const std::function<int()>& f) {
  std::fflush(nullptr);
  const size_t limit = address_bytes() + bytes;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit r{limit, limit};
    int result = 100;
    try {
      if (setrlimit(RLIMIT_AS, &r) == 0) result = f();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      result = 101;
    }
    std::fflush(nullptr);
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

class Training {
 public:
  float step(Engine& engine, int examples) {
    Graph g = engine.graph();
    std::vector<Expr> losses;
    for (int i = 0; i < examples; ++i) {
      const float x = static_cast<float>(i % 7) / 7;
      losses.push_back(sum_elements(square(linear_(full(g, {64}, 1) * x) - x)));
    }
    const Gradients gradients = engine.backward(losses, 1.0f / static_cast<float>(examples));
    optimiser_.step(gradients);
    return gradients.loss().get();
  }

 private:
  Parameters params_{1};
  nn::Linear linear_{params_ / "linear", 64, 64};
  optim::SGD optimiser_{params_, {.lr = 0.01f}};
};

TEST(Memory, FiveThousandEnginesAreAlive) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < 5000; ++i) {
    engines.push_back(std::make_unique<Engine>());
    Graph g = engines.back()->graph();
    ASSERT_EQ(engines.back()->value(sum_elements(full(g, {3}, static_cast<float>(i)))), static_cast<float>(3 * i));
  }
}

TEST(Memory, TrainingFitsIntoFewAddresses) {
  EXPECT_EQ(with_addresses(size_t{200} << 20,
                           [] {
                             Training training;
                             Engine engine;
                             const float first = training.step(engine, 8);
                             float last = first;
                             for (int i = 2; i < 40; ++i) last = training.step(engine, 8 * i);
                             return last < first / 2 ? 0 : 1;
                           }),
            0);
}

TEST(Memory, WhatDoesNotFitIsRefusedAndTheEngineGoesOn) {
  EXPECT_EQ(with_addresses(size_t{200} << 20,
                           [] {
                             Training training;
                             Engine engine;
                             (void)training.step(engine, 8);
                             Graph g = engine.graph();
                             const Expr small = sum_elements(full(g, {10}, 1));
                             std::vector<Expr> large;
                             for (int i = 0; i < 400; ++i) large.push_back(full(g, {1 << 20}, 1) * 2.0f);
                             const std::string said = error_of([&] { (void)engine.tensors(large); });
                             std::fprintf(stderr, "%s\n", said.c_str());
                             if (said.find("rows need ") == std::string::npos) return 1;
                             if (said.find("ulimit -v leaves") == std::string::npos) return 2;
                             // The graph of the refused round still works, and so do others.
                             if (engine.value(small) != 10) return 3;
                             if (engine.backward(small).loss().get() != 10) return 4;
                             return training.step(engine, 8) < 100 ? 0 : 5;
                           }),
            0);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
