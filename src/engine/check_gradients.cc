#include <espalier/engine/check_gradients.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/draw.h"
#include "param/gradient_state.h"
#include "param/slot.h"

namespace espalier {
namespace {

// Puts a number back, whatever happens.
class Moved {
 public:
  explicit Moved(float& x) : x_(x), before_(x) {}
  ~Moved() { x_ = before_; }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  // By so many steps; the step that was taken in truth.
  double by(double steps, double step) {
    x_ = static_cast<float>(static_cast<double>(before_) + steps * step);
    return static_cast<double>(x_) - static_cast<double>(before_);
  }

 private:
  float& x_;
  float before_;
};

Gradients run(Engine& engine, const std::function<Expr(Graph&)>& loss, Mode mode) {
  Graph graph = engine.graph(mode);
  return engine.backward(loss(graph));
}

// Elements to be checked: all, or some that are drawn. Of a table, those of rows that have a gradient, for of the
// others there is nothing to see, and one that has none.
std::vector<size_t> some_of(const detail::Slot& slot, const detail::GradientEntry* gradient, size_t wanted, Draw draw) {
  std::vector<size_t> all;
  const size_t width = slot.row_size();
  if (wanted > 0 && gradient != nullptr && gradient->sparse) {
    for (int32_t row : gradient->rows.host())
      for (size_t e = 0; e < width; ++e) all.push_back(static_cast<size_t>(row) * width + e);
  } else {
    for (size_t e = 0; e < slot.size(); ++e) all.push_back(e);
  }
  if (wanted == 0 || wanted >= all.size()) return all;
  for (size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + draw.below(all.size() - i)]);
  all.resize(wanted);
  all.back() = draw.below(slot.size());
  return all;
}

EngineOptions on(Device device, uint64_t seed) {
  EngineOptions o;
  o.device = device;
  o.seed = seed;
  return o;
}

}  // namespace

GradientCheck check_gradients(Parameters& params, const std::function<Expr(Graph&)>& loss,
                              const CheckGradientsOptions& options) {
  Engine checked(on(options.device, options.seed)), reference(on(Device::ref(), options.seed));
  const Gradients gradients = run(checked, loss, options.mode);
  auto value = [&] { return run(reference, loss, options.mode).state().loss.get(); };

  GradientCheck result;
  uint64_t stream = 0;
  for (const Parameter& p : params.all(options.parameters)) {
    ++stream;
    if (p.frozen()) continue;
    detail::Slot& slot = *p.slot();
    const Tensor gradient = gradients.of(p);
    std::vector<float>& data = slot.data.host_to_write();
    float largest = 0;
    for (float g : gradient.data) largest = std::max(largest, std::abs(g));
    for (size_t e : some_of(slot, gradients.state().find(&slot), options.elements, Draw(options.seed, stream))) {
      Moved x(data[e]);
      // Central differences of two steps, of which the error is of fourth order; a step is a few thousand roundings.
      const double step = 0x1p-10 * std::max(1.0, std::abs(static_cast<double>(data[e])));
      auto slope_over = [&](double steps) {
        const double up = x.by(steps, step), above = value();
        const double down = x.by(-steps, step), below = value();
        return (above - below) / (up - down);
      };
      const double slope = (4 * slope_over(1) - slope_over(2)) / 3;
      const double given = static_cast<double>(gradient.data[e]);
      ++result.checked;
      const double scale = std::max(static_cast<double>(largest), std::abs(slope));
      if (!(std::abs(given - slope) <= options.tolerance * scale + 1e-9))
        result.wrong.push_back({p.name(), e, given, slope});
    }
  }
  auto distance = [](const GradientDifference& d) {
    const double far = std::abs(d.gradient - d.slope);
    return std::isnan(far) ? std::numeric_limits<double>::infinity() : far;
  };
  auto worse = [&](const GradientDifference& a, const GradientDifference& b) { return distance(a) > distance(b); };
  std::sort(result.wrong.begin(), result.wrong.end(), worse);
  return result;
}

std::string GradientCheck::text() const {
  std::string s = std::to_string(checked) + " elements checked, " + std::to_string(wrong.size()) + " wrong";
  for (size_t i = 0; i < std::min<size_t>(wrong.size(), 5); ++i)
    s += "; " + wrong[i].parameter + "[" + std::to_string(wrong[i].element) + "]: the gradient is " +
         std::to_string(wrong[i].gradient) + ", the slope " + std::to_string(wrong[i].slope);
  return s;
}

}  // namespace espalier
