#include <espalier/engine/check_gradients.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/draw.h"
#include "param/gradient_state.h"
#include "param/parameter_storage.h"

namespace espalier {
namespace {

// RAII: moves an element, and restores it on destruction.
class Moved {
 public:
  explicit Moved(float& x) : x_(x), before_(x) {}
  ~Moved() { x_ = before_; }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  // Returns the distance actually moved, after rounding to float.
  double by(double steps, double step) {
    x_ = static_cast<float>(static_cast<double>(before_) + steps * step);
    return static_cast<double>(x_) - static_cast<double>(before_);
  }

 private:
  float& x_;
  float before_;
};

Gradients run(Engine& engine, const std::function<Expr(Graph&)>& loss) {
  Graph graph = engine.graph();
  return engine.backward(loss(graph));
}

// The elements to check: all, or a random selection. In a table the selection is from rows with a gradient, since other
// rows have slope 0. The last selected element is replaced by one of the whole parameter.
std::vector<size_t> some_of(const detail::ParameterStorage& storage, const detail::GradientEntry* gradient,
                            size_t wanted, Draw draw) {
  std::vector<size_t> all;
  const size_t width = storage.row_size();
  if (wanted > 0 && gradient != nullptr && gradient->sparse) {
    for (int32_t row : gradient->rows.host())
      for (size_t e = 0; e < width; ++e) all.push_back(static_cast<size_t>(row) * width + e);
  } else {
    for (size_t e = 0; e < storage.size(); ++e) all.push_back(e);
  }
  if (wanted == 0 || wanted >= all.size()) return all;
  for (size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + draw.below(all.size() - i)]);
  all.resize(wanted);
  all.back() = draw.below(storage.size());
  return all;
}

double largest_of(const Tensor& gradient) {
  float largest = 0;
  for (float g : gradient) largest = std::max(largest, std::abs(g));
  return static_cast<double>(largest);
}

// Differences of the loss around one element: to the left and to the right, over one step and over two steps.
class Differences {
 public:
  Differences(float& x, const std::function<double()>& value, double at_rest)
      : x_(x), value_(value), at_rest_(at_rest) {}

  void take(double step) {
    for (const int side : {0, 1})
      for (const int steps : {1, 2}) {
        Moved x(x_);
        const double by = x.by(side == 0 ? -steps : steps, step);
        moved_[side][steps - 1] = by;
        rise_[side][steps - 1] = value_() - at_rest_;
      }
  }
  // Richardson extrapolation of both central differences: the error is of fourth order.
  double slope() const { return (4 * central(0) - central(1)) / 3; }
  // Whether the left and right slopes differ by more than `allowed`, and by about as much over one step as over two.
  // For a smooth function, half the step halves the difference.
  bool is_kink(double allowed) const {
    const double one = std::abs(gap(0)), two = std::abs(gap(1));
    return one > allowed && one > 0.75 * two && two > 0.75 * one;
  }

 private:
  double central(int k) const { return (rise_[1][k] - rise_[0][k]) / (moved_[1][k] - moved_[0][k]); }
  double gap(int k) const { return rise_[1][k] / moved_[1][k] - rise_[0][k] / moved_[0][k]; }

  float& x_;
  const std::function<double()>& value_;
  double at_rest_;
  double moved_[2][2] = {}, rise_[2][2] = {};  // [left, right][one step, two steps]
};

}  // namespace

GradientCheck check_gradients(Parameters& params, const std::function<Expr(Graph&)>& loss,
                              const CheckGradientsOptions& options) {
  Engine checked({.device = options.device}), reference({.device = Device::ref()});
  const Gradients gradients = run(checked, loss);
  const std::function<double()> value = [&] { return run(reference, loss).state().loss.get(); };

  double largest_of_all = 0;
  for (const Parameter& p : params.all(options.parameters))
    if (!p.frozen()) largest_of_all = std::max(largest_of_all, largest_of(gradients.of(p)));
  const double at_rest = value();
  const double rounding =
      (options.device == Device::ref() ? 0x1p-40 : 0x1p-20) * std::max(largest_of_all, std::abs(at_rest) / 4);

  GradientCheck result;
  uint64_t stream = 0;
  for (const Parameter& p : params.all(options.parameters)) {
    ++stream;
    if (p.frozen()) continue;
    detail::ParameterStorage& storage = *p.storage();
    const Tensor gradient = gradients.of(p);
    AlignedVector<float>& data = storage.data.host_to_write();
    const double largest = largest_of(gradient);
    for (size_t e : some_of(storage, gradients.state().find(&storage), options.elements, Draw(0, stream))) {
      const double given = static_cast<double>(gradient[e]);
      auto allowed = [&](double slope) {
        return options.tolerance * std::max(largest, std::abs(slope)) + rounding + 1e-9;
      };
      Differences at(data[e], value, at_rest);
      // Near 1, the first step is 2^13 times the distance between adjacent floats, the smallest step 2^4 times.
      double step = 0x1p-10 * std::max(1.0, std::abs(static_cast<double>(data[e])));
      at.take(step);
      auto is_right = [&] { return std::abs(given - at.slope()) <= allowed(at.slope()); };
      for (int smaller = 0; smaller < 3 && !is_right(); ++smaller) at.take(step /= 8);
      const bool right = is_right();
      if (!right && at.is_kink(allowed(at.slope()))) {
        ++result.skipped;
        continue;
      }
      ++result.checked;
      if (!right) result.wrong.push_back({p.name(), e, given, at.slope()});
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
  std::string s = std::to_string(checked) + " elements checked, " +
                  (skipped > 0 ? std::to_string(skipped) + " skipped at kinks, " : "") + std::to_string(wrong.size()) +
                  " wrong";
  for (size_t i = 0; i < std::min<size_t>(wrong.size(), 5); ++i)
    s += "; " + wrong[i].parameter + "[" + std::to_string(wrong[i].element) + "]: the gradient is " +
         std::to_string(wrong[i].gradient) + ", the slope " + std::to_string(wrong[i].slope);
  return s;
}

}  // namespace espalier
