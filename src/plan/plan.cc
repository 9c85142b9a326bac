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
  infers = false;
  elements = regions = scratch = 0;
}

namespace {

constexpr uint64_t least_portion = 64;  // rows: with fewer, a product no longer runs at full speed

uint64_t bytes_of_row(const Program& program, bool backward) {
  uint64_t elements = 0;
  for (const Buffer& b : program.code.buffers) {
    const bool gradient = b.kind == Buffer::Kind::dout || b.kind == Buffer::Kind::slot ||
                          b.kind == Buffer::Kind::dkept || b.kind == Buffer::Kind::dscratch;
    const bool temporary = b.kind == Buffer::Kind::scratch;
    if (backward ? !temporary : !gradient) elements += b.stride;
  }
  return elements * sizeof(float);
}

}  // namespace

void each_portion(const Program& program, const RunStep& step, bool backward, const PlanOptions& options,
                  const std::function<void(const RunStep&)>& f) {
  uint64_t portion = options.rows_at_once;
  if (portion == 0 && (options.cache_bytes == 0 || step.rows < 2 * least_portion)) return f(step);
  if (portion == 0)
    portion = std::max(least_portion, options.cache_bytes / std::max<uint64_t>(bytes_of_row(program, backward), 1) /
                                          least_portion * least_portion);
  // The last takes what would be too little for one more.
  const auto count = static_cast<uint32_t>(std::max<uint64_t>((step.rows + portion / 2) / portion, 1));
  for (uint32_t i = 0; i < count; ++i) {
    const auto first = static_cast<uint32_t>(i * portion);
    f({step.run, step.first + first, i + 1 == count ? step.rows - first : static_cast<uint32_t>(portion)});
  }
}

uint64_t end_of(uint64_t top, uint64_t rows, uint64_t stride) {
  constexpr uint64_t most = uint64_t{1} << 60;
  uint64_t more = 0;
  if (__builtin_mul_overflow(rows, stride, &more) || more > most || top > most - more)
    throw DeviceError("plan: " + std::to_string(rows) + " rows of " + std::to_string(stride) +
                      " elements are needed beside " + std::to_string(top) +
                      " elements; no memory holds so many: make the minibatch or the rows smaller");
  return top + more;
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
      ESPALIER_CHECK(bind.stride % unit == 0 && (bind.offset % unit == 0 || buffers[b].inside >= 0));
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
