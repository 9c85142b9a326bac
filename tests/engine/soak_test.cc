// Training with new sizes and attributes in every minibatch does not grow in memory.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include <espalier/nn/linear.h>
#include <espalier/optim/optimizer.h>
#include "base/draw.h"
#include "support/sanitized.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Memory {
  long resident_kib = 0;
  long heap_kib = 0;  // in use; unlike resident memory, grows even if free memory of earlier tests is reused
  static Memory now() {
    Memory m;
    std::ifstream statm("/proc/self/statm");
    long all = 0;
    statm >> all >> m.resident_kib;
    m.resident_kib *= sysconf(_SC_PAGESIZE) / 1024;
    const struct mallinfo2 heap = mallinfo2();
    m.heap_kib = static_cast<long>((heap.uordblks + heap.hblkhd) / 1024);
    return m;
  }
};

void expect_no_growth(const Memory& first, const Memory& last) {
  if (is_sanitized) return;
  EXPECT_LT(last.resident_kib - first.resident_kib, 1024);
  EXPECT_LT(last.heap_kib - first.heap_kib, 1024);
}

class Soak {
 public:
  // Minibatch m: its attributes occur in no other minibatch; sizes repeat after 10,004 minibatches, large sizes first.
  void step(Engine& engine, int m) {
    const int rows = 64 - m % 61, columns = 163 - m / 61 % 164 + 1;
    const float v = 0.5f + static_cast<float>(m) / 65536;
    Graph g = engine.graph();
    const auto once = Scope(params_).cell("once", {{8}}, [&](Expr x) { return elu(x * v, v); });
    std::vector<Expr> losses;
    for (int i = 0; i < 3; ++i) {
      Expr h = tree(g, 1 + static_cast<int>(draw_.below(6)));
      losses.push_back(sum_elements(square(once(h))));
    }
    // Attributes that are number arguments of calls.
    Expr x = full(g, {16}, v);
    x = leaky_relu(elu(clamp(x, -v, v), v), v);
    losses.push_back(sum_elements(x));
    // Attributes and sizes that are part of a program.
    Expr y = gaussian_noise(scale_gradient(zeros(g, {rows, columns}) + 0.5f, v), v);
    losses.push_back(mean_elements(sum_axis(y, 0)));
    sgd_.step(engine.backward(losses, 0.01f));
  }

 private:
  Expr tree(Graph& g, int leaves) {
    if (leaves == 1) return lookup(g, words_, static_cast<int>(draw_.below(20)));
    const int left = 1 + static_cast<int>(draw_.below(static_cast<uint64_t>(leaves) - 1));
    const Expr a = tree(g, left), b = tree(g, leaves - left);
    return tanh(linear_(concat(a, b)));
  }

  Parameters params_{1};
  Lookup words_ = Scope(params_).add_lookup("words", 20, {8});
  nn::Linear linear_{params_ / "linear", 16, 8};
  optim::SGD sgd_{params_, {.lr = 0.01f}};
  Draw draw_{3};
};

// ESPALIER_SOAK=100000 in the environment runs that many minibatches.
TEST(Memory, StaysWhereItIsWhateverIsRecorded) {
  const char* asked = std::getenv("ESPALIER_SOAK");
  const int minibatches = asked != nullptr ? std::atoi(asked) : is_sanitized ? 500 : 10'000;
  Soak soak;
  Engine engine;
  Memory first, last;
  std::printf("minibatch  resident KiB  heap KiB\n");
  for (int m = 0; m <= minibatches; ++m) {
    soak.step(engine, m);
    if (m != 100 && m % 1000 != 0) continue;
    last = Memory::now();
    if (m == 100) first = last;
    std::printf("%9d  %12ld  %8ld\n", m, last.resident_kib, last.heap_kib);
  }
  expect_no_growth(first, last);
}

// An engine frees the programs that it compiled, and a cell is freed with its last handle.
TEST(Memory, EnginesAndCellsComeAndGo) {
  Memory first, last;
  for (int round = 0; round < 40; ++round) {
    Soak soak;
    Engine engine;
    for (int m = 0; m < 20; ++m) soak.step(engine, 1000 * round + m);
    last = Memory::now();
    if (round == 10) first = last;
  }
  expect_no_growth(first, last);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
