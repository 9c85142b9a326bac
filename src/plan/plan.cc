#include "plan/plan.h"

#include <algorithm>

namespace espalier {

void Plan::clear() {
  steps.clear();
  bindings.clear();
  gathers.clear();
  sources.clear();
  offsets.clear();
  fills.clear();
  freed.clear();
  accumulations.clear();
  final_gathers.clear();
  watched.clear();
  elements = regions = scratch = 0;
}

void over_the_limit(uint64_t needed, uint64_t regions, uint64_t limit) {
  const int shift = limit * sizeof(float) < (10u << 20) ? 10 : 20;
  const std::string unit_name = shift == 10 ? " KiB" : " MiB";
  auto size = [&](uint64_t n) { return std::to_string((n * sizeof(float) + (uint64_t{1} << shift) - 1) >> shift); };
  throw DeviceError("plan: " + size(needed) + unit_name + " are needed (" + size(regions) + " for rows, " +
                    size(needed - regions) + " for scratch) and the limit is " + size(limit) + unit_name +
                    "; make the minibatch smaller or raise EngineOptions::memory_limit");
}

std::string print(const Plan& plan) {
  std::string s =
      "plan " + std::to_string(plan.steps.size()) + " steps, " + std::to_string(plan.elements) + " elements\n";
  for (const PlanStep& step : plan.steps) {
    s += std::string(step.backward ? "  backward " : "  forward ") + step.program->name + " rows " +
         std::to_string(step.first) + "+" + std::to_string(step.rows) + " gathers " + std::to_string(step.gathers) +
         "\n";
  }
  return s;
}

void verify(const Plan& plan, const Layout& layout, const GraphTape&) {
  struct Span {
    uint64_t begin, end;
  };
  std::vector<Span> written;
  for (const PlanStep& step : plan.steps) {
    const auto& buffers = step.program->code.buffers;
    written.clear();
    for (size_t b = 0; b < buffers.size(); ++b) {
      const Binding& bind = plan.bindings[step.first_binding + b];
      if (bind.offset == nowhere) continue;
      const CellRun& run = *step.run;
      const uint64_t rows = layout.first_in(run, buffers[b].space, step.first + step.rows) -
                            layout.first_in(run, buffers[b].space, step.first);
      if (rows == 0) continue;
      const uint64_t end = bind.offset + (rows - 1) * bind.stride + buffers[b].size;
      ESPALIER_CHECK(end <= plan.elements);
      ESPALIER_CHECK(bind.offset % unit == 0 && bind.stride % unit == 0);
      const Buffer::Kind kind = buffers[b].kind;
      const bool writes =
          step.backward ? kind == Buffer::Kind::slot || kind == Buffer::Kind::dkept || kind == Buffer::Kind::dscratch
                        : kind == Buffer::Kind::output || kind == Buffer::Kind::kept || kind == Buffer::Kind::scratch;
      if (writes) written.push_back({bind.offset, end});
    }
    std::sort(written.begin(), written.end(), [](const Span& a, const Span& c) { return a.begin < c.begin; });
    for (size_t i = 1; i < written.size(); ++i) ESPALIER_CHECK(written[i - 1].end <= written[i].begin);
  }
  for (const Gather& g : plan.gathers)
    ESPALIER_CHECK(g.out + uint64_t{g.rows - 1} * g.stride + g.size <= plan.elements);
}

}  // namespace espalier
