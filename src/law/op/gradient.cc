// Laws: the gradient of an op equals finite differences in double precision, whichever gradients are requested.
#include <algorithm>
#include <cmath>
#include <functional>

#include "law/op/laws.h"

namespace espalier::law {
namespace {

// d loss / d x from four evaluations; the error is of fourth order in the step.
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
    return gradient == 0 ? "" : where + ": the op declares no gradient, but gives " + std::to_string(gradient);
  if (std::abs(gradient - d) <= tolerance * std::max(1.0, std::abs(d))) return {};
  return where + ": the gradient is " + std::to_string(gradient) + ", the finite difference " + std::to_string(d);
}

}  // namespace

std::string gradient_broken(const OpCase& c, Device device) {
  if (c.op->differentiable() && c.op->own_slope(c.sample.attrs))
    return {};  // its gradient is not its derivative by design
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
          if (std::string broken = compare(*c.op, tolerance, static_cast<double>(outcome.leaves[i][l][e]), d,
                                           numbered({{"call", i}, {"leaf", l}, {"element", e}}));
              !broken.empty())
            return broken;
        }
    for (size_t i = 0; i < cell.parameters().size(); ++i) {
      Parameter& p = cell.parameters()[i];
      std::vector<float> value = p.value().to_vector();
      for (size_t e = 0; e < value.size(); ++e) {
        const double d = slope(value[e], [&] {
          p.assign({p.shape(), value});
          return loss();
        });
        p.assign({p.shape(), value});
        if (std::string broken = compare(*c.op, tolerance, static_cast<double>(outcome.parameters[i][e]), d,
                                         numbered({{"parameter", i}, {"element", e}}));
            !broken.empty())
          return broken;
      }
    }
    return {};
  });
}

// A kernel may compute several gradients, and some of them may not be requested.
//
// Requesting fewer gradients of every call keeps the number of rows of every product, so the bits must be equal.
// Requesting only one call drops rows. Products of fewer rows may use another kernel with another order of summation,
// so the gradients agree up to rounding.
std::string gradient_alone_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    OpCell cell(c, given);
    const std::vector<Arguments> calls = some_calls(cell, 3);
    const Outcome all = run_together(on(device), cell, calls);
    Engine engine(on(device));
    using Wanted = std::function<bool(size_t call, size_t leaf)>;
    auto each_wanted = [&](const Wanted& requested, auto&& f) {
      for (size_t i = 0; i < calls.size(); ++i)
        for (size_t l = 0; l < calls[i].leaves.size(); ++l)
          if (requested(i, l)) f(i, l);
    };
    // Compares the gradients of the requested leaves and of the unfrozen parameters with `all`; empty if they agree.
    auto compare_alone = [&](const Wanted& requested, double tolerance) -> std::string {
      Graph graph = engine.graph();
      std::vector<RecordedOp> recorded;
      std::vector<Expr> losses;
      for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
      for (size_t i = 0; i < calls.size(); ++i) losses.push_back(loss_of(graph, recorded[i], calls[i]));
      each_wanted(requested, [&](size_t i, size_t l) { engine.watch(recorded[i].leaves[l]); });
      const Gradients gradients = engine.backward(losses);
      Outcome alone = all;
      each_wanted(requested, [&](size_t i, size_t l) { alone.leaves[i][l] = gradients.of(recorded[i].leaves[l]); });
      for (size_t i = 0; i < cell.parameters().size(); ++i)
        if (!cell.parameters()[i].frozen()) alone.parameters[i] = gradients.of(cell.parameters()[i]);
      if (tolerance > 0) return differences(alone, all, tolerance);
      return differences(alone, all, [](const Tensor& a, const Tensor& b) -> std::string {
        return std::ranges::equal(a, b) ? "" : "not the same bits";
      });
    };
    for (Parameter& p : cell.parameters()) p.freeze();
    const Program& program = *cell.program();
    const auto rows = static_cast<size_t>(std::ranges::count(program.rows, int{call_space}, &RowInput::space));
    for (size_t row = 0; row < rows; ++row)
      if (std::string d = compare_alone([&](size_t, size_t l) { return l == row; }, 0); !d.empty())
        return "input " + std::to_string(row) + " of all calls: " + d;
    if (std::string d = compare_alone([&](size_t, size_t l) { return l >= rows; }, 0); !d.empty())
      return "the lists of all calls: " + d;
    std::string broken;
    each_wanted([&](size_t, size_t) { return broken.empty(); },
                [&](size_t i, size_t l) {
                  broken = compare_alone([&](size_t call, size_t leaf) { return call == i && leaf == l; },
                                         std::max(c.op->tolerance, 1e-6));
                  if (!broken.empty()) broken = numbered({{"call", i}, {"leaf", l}}) + " alone: " + broken;
                });
    if (!broken.empty()) return broken;
    for (size_t i = 0; i < cell.parameters().size(); ++i) {
      cell.parameters()[i].freeze(false);
      if (std::string d = compare_alone([](size_t, size_t) { return false; }, 0); !d.empty())
        return numbered({{"parameter", i}}) + " alone: " + d;
      cell.parameters()[i].freeze();
    }
    return {};
  });
}

}  // namespace espalier::law
