#include "law/fuzz.h"

#include <chrono>

#include "base/random.h"
#include "law/check.h"

namespace espalier::law {
namespace {

// A kink of relu or max may lie between a float and a double. So a failure counts if it stays with other numbers.
bool fails(const Recipe& recipe) {
  Recipe other = recipe;
  for (uint64_t k = 0; k < 3; ++k) {
    other.numbers = recipe.numbers + k * 7919;
    if (check(other).failure.empty()) return false;
  }
  return true;
}

std::string report(const Recipe& recipe) {
  const Recipe small = shrink(recipe, fails);
  return check(small).failure + "\n  espalier fuzz --repro '" + print(small) + "'";
}

}  // namespace

FuzzReport fuzz(const FuzzOptions& options, std::ostream* out, const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  FuzzReport r;
  auto one = [&](const Recipe& recipe) {
    const Verdict v = check(recipe);
    ++r.programs;
    r.calls += v.calls;
    r.laws += v.laws;
    if (!v.failure.empty() && fails(recipe)) r.failures.push_back(report(recipe));
  };
  if (!options.reproduce.empty()) {
    one(parse_recipe(options.reproduce));
    return r;
  }
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double next_line = 5;
  for (uint64_t i = 0; options.programs == 0 || i < options.programs; ++i) {
    if (stop != nullptr && *stop) break;
    if (options.seconds > 0 && elapsed() > options.seconds) break;
    if (r.failures.size() >= 5) break;
    one(random_recipe(mix(options.seed, i)));
    if (out != nullptr && elapsed() > next_line) {
      *out << "fuzz: " << r.programs << " programs, " << r.calls << " calls, " << r.laws << " laws\n" << std::flush;
      next_line = elapsed() + 5;
    }
  }
  return r;
}

}  // namespace espalier::law
