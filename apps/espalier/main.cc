// The program `espalier`. Results go to stdout, everything else to stderr.
#include <string>
#include <thread>

#include <fmt/format.h>
#include <espalier/smiles/smiles.h>

#include "base/build.h"
#include "command.h"
#include "data/get.h"
#include "exec/executor.h"
#include "program.h"

namespace espalier::app {
namespace {

// The devices of this machine.
std::string devices() {
  const char* vectors = __builtin_cpu_supports("avx512f") != 0 ? ", AVX-512"
                        : __builtin_cpu_supports("avx2") != 0  ? ", AVX2"
                                                               : "";
  const unsigned cores = std::thread::hardware_concurrency();
  std::string all = fmt::format("cpu ({} core{}{})", cores, cores == 1 ? "" : "s", vectors);
  int number = 0;
  for (const std::string& name : cuda_devices()) all += fmt::format(", cuda:{} ({})", number++, name);
  return all;
}

// The optional components that this program was built with.
std::string parts() {
  const std::string cuda = cuda_version();
  return fmt::format("{}; {}; {}", cuda.empty() ? "no CUDA" : "CUDA " + cuda,
                     smiles::available() ? "RDKit" : "no RDKit", get_libraries());
}

std::string version() {
  return fmt::format("espalier {}\nbuilt with: {}\ndevices: {}", build_text(), parts(), devices());
}

void add_commands(CLI::App& program, Command* chosen) {
  program.set_version_flag("--version", version,
                           "Print version, commit, compiler, optional components and devices, and exit");
  program.require_subcommand(1);
  add_train(program, chosen);
  add_eval(program, chosen);
  add_predict(program, chosen);
  add_report(program, chosen);
  add_explain(program, chosen);
  add_tasks(program, chosen);
  add_new(program, chosen);
  add_data(program, chosen);
  add_demo(program, chosen);
  add_bench(program, chosen);
  add_fuzz(program, chosen);
}

}  // namespace
}  // namespace espalier::app

int main(int argc, char** argv) {
  using namespace espalier::app;
  return run_program(argc, argv, "espalier",
                     "Neural networks whose structure depends on the input, batched automatically.", add_commands);
}
