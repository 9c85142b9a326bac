#include "law/program/fuzz.h"

#include <chrono>

#include "base/random.h"
#include "law/program/check.h"

namespace espalier::law {
namespace {

// The float and the double result may be on different sides of a kink of relu or max. A failure therefore counts only
// if it persists with other seeds.
bool fails(const RandomProgram& program) {
  RandomProgram other = program;
  for (uint64_t k = 0; k < 3; ++k) {
    other.numbers = program.numbers + k * 7919;
    if (check(other).failure.empty()) return false;
  }
  return true;
}

std::string report(const RandomProgram& program) {
  const RandomProgram small = shrink(program, fails);
  return check(small).failure + "\n  espalier fuzz --repro '" + print(small) + "'";
}

}  // namespace

FuzzReport fuzz(const FuzzOptions& options, std::ostream* out, const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  FuzzReport r;
  auto one = [&](const RandomProgram& program) {
    const Verdict v = check(program);
    ++r.programs;
    r.calls += v.calls;
    r.laws += v.laws;
    if (!v.failure.empty() && fails(program)) r.failures.push_back(report(program));
  };
  if (!options.reproduce.empty()) {
    one(parse_random_program(options.reproduce));
    return r;
  }
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double next_line = 5;
  for (uint64_t i = 0; options.programs == 0 || i < options.programs; ++i) {
    if (stop != nullptr && *stop) break;
    if (options.seconds > 0 && elapsed() > options.seconds) break;
    if (r.failures.size() >= 5) break;
    one(random_program(mix(options.seed, i)));
    if (out != nullptr && elapsed() > next_line) {
      *out << "fuzz: " << r.programs << " programs, " << r.calls << " calls, " << r.laws << " laws\n" << std::flush;
      next_line = elapsed() + 5;
    }
  }
  return r;
}

}  // namespace espalier::law
