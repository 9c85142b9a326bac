// Every op of the table, forward on the CPU over the rows of 64 calls. The inputs are already computed; the time
// includes a gather where the engine needs one.
#include "micro/ops.h"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "exec/cpu/functions.h"
#include "exec/cpu/product/product.h"
#include "law/op/cell.h"
#include "micro/round.h"

namespace espalier::micro {
namespace {

constexpr uint64_t calls_of_op = 64;
constexpr int width = 128;  // row width of element-wise ops; other ops use the shapes of their first sample

bool elementwise(const OpInfo& op) { return op.place == Place::same && cpu_function(&op) == nullptr; }

law::OpCell cell_of(const law::OpCase& c) {
  std::vector<Shape> shapes = c.sample.shapes;
  if (elementwise(*c.op)) std::fill(shapes.begin(), shapes.end(), Shape{width});
  return {*c.op, c.sample.attrs, shapes, law::Given::rows, c.sample.lo, c.sample.hi};
}

void run_op(benchmark::State& state, const law::OpCase& c) {
  const SingleThread alone;
  const law::OpCell cell = cell_of(c);
  Engine engine;
  Graph graph = engine.graph();
  const GraphTape& tape = graph.tape();
  std::vector<uint32_t> before, of_op;
  for (uint64_t n = 0; n < calls_of_op; ++n) {
    const uint32_t first = static_cast<uint32_t>(graph.calls());
    const law::RecordedOp r = cell.record(graph, cell.arguments(n));
    const uint32_t call = tape.value[r.y.id()].call;
    for (uint32_t id = first; id < graph.calls(); ++id)
      if (id != call) before.push_back(id);
    of_op.push_back(call);
  }
  Round round(tape);
  if (!before.empty()) {
    round.schedule(before);
    round.plan();
    round.run();
  }
  round.schedule(of_op);
  round.plan();
  round.run();  // warm-up: the first product of a shape generates its code
  for (auto _ : state) round.run();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(calls_of_op) * cell.inferred().size());
}

}  // namespace

void register_ops() {
  for (const law::OpCase& c : law::op_cases())
    if (c.number == 0)
      benchmark::RegisterBenchmark(("op/" + std::string(c.op->doc.name)).c_str(),
                                   [&c](benchmark::State& state) { run_op(state, c); });
}

}  // namespace espalier::micro
