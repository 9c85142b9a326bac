// espalier_micro: microbenchmarks of the engine. Takes the flags of Google Benchmark: --benchmark_filter=op/tanh
#include <benchmark/benchmark.h>

#include "micro/ops.h"

int main(int argc, char** argv) {
  espalier::micro::register_ops();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
