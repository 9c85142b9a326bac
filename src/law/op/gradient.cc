// The gradient of an op against differences, which are taken in double.
#include <cmath>

#include "law/op/laws.h"

namespace espalier::law {
namespace {

// d loss / d x by four evaluations; the error is of fourth order in the step.
template <class F>
double slope(float& x, F loss) {
  const float before = x;
  auto at = [&](int steps) {
    x = before + static_cast<float>(steps) * grain;
    return loss();
  };
  const double d = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * static_cast<double>(grain));
  x = before;
  return d;
}

std::string numbered(std::initializer_list<std::pair<const char*, size_t>> parts) {
  std::string s;
  for (const auto& [what, number] : parts)
    s += (s.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(number);
  return s;
}

std::string compare(const OpInfo& op, double tolerance, double gradient, double d, const std::string& where) {
  if (!op.differentiable())
    return gradient == 0 ? "" : where + ": the op passes no gradient, and gives " + std::to_string(gradient);
  if (std::abs(gradient - d) <= tolerance * std::max(1.0, std::abs(d))) return {};
  return where + ": the gradient is " + std::to_string(gradient) + ", the slope " + std::to_string(d);
}

}  // namespace

std::string gradient_broken(const OpCase& c, Device device) {
  if (c.op->differentiable() && c.op->own_slope(c.sample.attrs)) return {};  // not meant to be its slope
  return each_way(*c.op, [&](Given given) -> std::string {
    OpCell cell(c, given);
    std::vector<Arguments> calls = some_calls(cell, 3);
    auto loss = [&] { return run_together(on(Device::ref()), cell, calls).loss; };
    const Outcome outcome = run_together(on(device), cell, calls);
    const double tolerance = device == Device::ref() ? 2e-6 : 2e-6 + c.op->tolerance;
    for (size_t i = 0; i < calls.size(); ++i)
      for (size_t l = 0; l < calls[i].leaves.size(); ++l)
        for (size_t e = 0; e < calls[i].leaves[l].size(); ++e) {
          const double d = slope(calls[i].leaves[l][e], loss);
          if (std::string broken = compare(*c.op, tolerance, static_cast<double>(outcome.leaves[i][l].data[e]), d,
                                           numbered({{"call", i}, {"leaf", l}, {"element", e}}));
              !broken.empty())
            return broken;
        }
    for (size_t i = 0; i < cell.parameters().size(); ++i) {
      Parameter& p = cell.parameters()[i];
      Tensor value = p.value();
      for (size_t e = 0; e < value.data.size(); ++e) {
        const double d = slope(value.data[e], [&] {
          p.assign(value);
          return loss();
        });
        p.assign(value);
        if (std::string broken = compare(*c.op, tolerance, static_cast<double>(outcome.parameters[i].data[e]), d,
                                         numbered({{"parameter", i}, {"element", e}}));
            !broken.empty())
          return broken;
      }
    }
    return {};
  });
}

// A kernel may serve several gradients, and some of them may have nobody who reads them.
std::string gradient_alone_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    OpCell cell(c, given);
    const std::vector<Arguments> calls = some_calls(cell, 3);
    const Outcome all = run_together(on(device), cell, calls);
    Engine engine(on(device));
    auto alone = [&](auto&& want) {
      Graph graph = engine.graph();
      std::vector<RecordedOp> recorded;
      std::vector<Expr> losses;
      for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
      for (size_t i = 0; i < calls.size(); ++i) losses.push_back(loss_of(graph, recorded[i], calls[i]));
      return want(recorded, losses);
    };
    for (Parameter& p : cell.parameters()) p.freeze();
    for (size_t i = 0; i < calls.size(); ++i)
      for (size_t l = 0; l < calls[i].leaves.size(); ++l) {
        const Tensor gradient = alone([&](const auto& recorded, const auto& losses) {
          engine.watch(recorded[i].leaves[l]);
          return engine.backward(losses).of(recorded[i].leaves[l]);
        });
        if (gradient.data != all.leaves[i][l].data) return numbered({{"call", i}, {"leaf", l}}) + ": not the same bits";
      }
    for (size_t i = 0; i < cell.parameters().size(); ++i) {
      cell.parameters()[i].freeze(false);
      const Tensor gradient =
          alone([&](const auto&, const auto& losses) { return engine.backward(losses).of(cell.parameters()[i]); });
      if (gradient.data != all.parameters[i].data) return numbered({{"parameter", i}}) + ": not the same bits";
      cell.parameters()[i].freeze();
    }
    return {};
  });
}

}  // namespace espalier::law
