// espalier fuzz: random programs over all ops and cells, checked against the laws.
#include <cstdio>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "law/program/fuzz.h"

namespace espalier::app {
namespace {

struct FuzzSettings {
  law::FuzzOptions law;
  bool quiet = false;
};

int fuzz(const FuzzSettings& settings) {
  catch_interrupt();
  const law::FuzzReport r = law::fuzz(settings.law, settings.quiet ? nullptr : &std::cerr, &interrupt_asked());
  for (const std::string& failure : r.failures) fmt::print("{}\n", failure);
  fmt::print("fuzz: {} programs, {} calls, {} laws ", r.programs, r.calls, r.laws);
  if (!r.failures.empty()) {
    fmt::print("checked, {} programs FAILED\n", r.failures.size());
    return failed;
  }
  fmt::print("held{}\n", interrupt_asked() ? " (interrupted)" : "");
  return interrupt_asked() ? interrupted : ok;
}

}  // namespace

void add_fuzz(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("fuzz", "Check random programs against the laws");
  app->footer(
      "Exits with 0 only if all laws held. A failure is printed with the command that reproduces it.\n"
      "The last line counts programs, calls and laws.");
  const auto s = std::make_shared<FuzzSettings>();
  add_number(*app, "--seed", s->law.seed, uint64_t{0}, "N", "Random seed of the programs [1]");
  const auto* seconds =
      add_number(*app, "--seconds", s->law.seconds, 0.0, "S", "Duration in seconds; 0: no limit [10]");
  const auto* programs = add_number(*app, "--programs", s->law.programs, uint64_t{1}, "N",
                                    "Number of programs; without --seconds, there is no time limit");
  app->add_option("--repro", s->law.reproduce, "Run one program, as printed by a failure")->type_name("PROGRAM");
  app->add_flag("--quiet", s->quiet, "No progress on stderr");
  app->callback([=] {
    if (*programs && !*seconds) s->law.seconds = 0;
    *chosen = [=] { return fuzz(*s); };
  });
}

}  // namespace espalier::app
