#include "schedule/schedule.h"

namespace espalier {
namespace {

std::string count(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

std::string print(const Schedule& schedule, const GraphTape& tape) {
  std::string s = "schedule " + count(schedule.steps.size(), "step") + ", " + count(schedule.order.size(), "call");
  s += schedule.how.empty() ? "\n" : " (" + std::string(schedule.how) + ")\n";
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    s += "  " + std::to_string(i) + " " + str(tape.cells[step.cell]->name) + " × " +
         std::to_string(step.end - step.begin) + ":";
    for (uint32_t k = step.begin, last = k; k < step.end; k = ++last) {
      while (last + 1 < step.end && schedule.order[last + 1] == schedule.order[last] + 1) ++last;
      s += " " + std::to_string(schedule.order[k]);
      if (last > k) s += (last == k + 1 ? " " : "…") + std::to_string(schedule.order[last]);
    }
    s += "\n";
  }
  return s;
}

}  // namespace espalier
