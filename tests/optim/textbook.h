// The update rules as in textbooks, one element at a time in double; and gradients built by hand.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <espalier/optim/optimizer.h>
#include "base/random.h"
#include "param/gradient_state.h"

namespace espalier::optim {

// Gradients, built entry by entry.
class Given {
 public:
  Given& dense(const Parameter& p, std::vector<float> values) {
    state_->entry(p.storage(), false).values.host_to_write().assign(values.begin(), values.end());
    return *this;
  }
  Given& rows(const Parameter& p, std::vector<int32_t> rows, std::vector<float> values) {
    detail::GradientEntry& entry = state_->entry(p.storage(), true);
    entry.rows.host_to_write().assign(rows.begin(), rows.end());
    entry.values.host_to_write().assign(values.begin(), values.end());
    return *this;
  }
  Gradients get() const { return Gradients(state_); }
  const detail::GradientState& state() const { return *state_; }

 private:
  std::shared_ptr<detail::GradientState> state_ = std::make_shared<detail::GradientState>();
};

struct Textbook {
  enum class Rule { sgd, adagrad, adadelta, rmsprop, adam, adamw } rule = Rule::sgd;
  double lr = 0.1, decay = 0, clip = 0;
  double momentum = 0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  bool amsgrad = false, centered = false;
  double alpha = 0.99;  // of rmsprop; adadelta's rho
  double lr_decay = 0, initial = 0;
  std::map<std::string, double> factor{}, own_decay{};  // of groups, by full name

  struct Kept {
    std::vector<double> p, m, v, w;
  };
  std::map<std::string, Kept> kept{};
  int t = 0;

  // Adds a parameter to update, with its current value.
  void add(const Parameter& p) {
    const Tensor value = p.value();
    const std::vector<double> start(value.size(), initial);
    kept[p.name()] = {{value.begin(), value.end()}, start, start, start};
  }

  void step(const detail::GradientState& gradients) {
    ++t;
    double squares = 0;
    for (size_t i = 0; i < gradients.used; ++i)
      if (updates(gradients.entries[i]))
        for (const float g : gradients.entries[i].values.host()) squares += double(g) * double(g);
    const double scale = clip > 0 && std::sqrt(squares) > clip ? clip / std::sqrt(squares) : 1;
    for (size_t i = 0; i < gradients.used; ++i) {
      const detail::GradientEntry& e = gradients.entries[i];
      if (!updates(e)) continue;
      const size_t width = e.parameter->row_size();
      const AlignedVector<float>& values = e.values.host();
      const std::string name = e.parameter->name.text();
      for (size_t k = 0; k < values.size(); ++k)
        one(name, e.sparse ? static_cast<size_t>(e.rows.host()[k / width]) * width + k % width : k,
            scale * double(values[k]));
    }
  }

  bool updates(const detail::GradientEntry& e) const {
    return !e.parameter->frozen && kept.contains(e.parameter->name.text());
  }

  void one(const std::string& name, size_t i, double g) {
    double &p = kept[name].p[i], &m = kept[name].m[i], &v = kept[name].v[i], &w = kept[name].w[i];
    const double rate = lr * (factor.contains(name) ? factor[name] : 1);
    const double wd = own_decay.contains(name) ? own_decay[name] : decay;
    if (rule == Rule::adamw) {
      p -= rate * wd * p;
    } else {
      g += wd * p;
    }
    switch (rule) {
      case Rule::sgd:
        m = momentum * m + g;
        p -= rate * (nesterov ? g + momentum * m : m);
        break;
      case Rule::adagrad:
        m += g * g;
        p -= rate / (1 + (t - 1) * lr_decay) * g / (std::sqrt(m) + eps);
        break;
      case Rule::adadelta: {
        m = alpha * m + (1 - alpha) * g * g;
        const double change = std::sqrt(v + eps) / std::sqrt(m + eps) * g;
        v = alpha * v + (1 - alpha) * change * change;
        p -= rate * change;
        break;
      }
      case Rule::rmsprop:
        m = alpha * m + (1 - alpha) * g * g;
        v = alpha * v + (1 - alpha) * g;
        w = momentum * w + g / (std::sqrt(centered ? m - v * v : m) + eps);
        p -= rate * w;
        break;
      case Rule::adam:
      case Rule::adamw:
        m = beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        w = amsgrad ? std::max(w, v) : v;
        p -= rate * (m / (1 - std::pow(beta1, t))) / (std::sqrt(w / (1 - std::pow(beta2, t))) + eps);
        break;
    }
  }
};

// Random gradients for a parameter; table rows with higher indices occur more rarely.
class Chance {
 public:
  explicit Chance(uint64_t seed) : seed_(seed) {}
  float number() { return 2 * uniform(seed_, count_++) - 1; }
  bool once_in(float n) { return uniform(seed_, count_++) * n < 1; }
  std::vector<float> numbers(size_t n) {
    std::vector<float> result(n);
    for (float& x : result) x = number();
    return result;
  }
  void give(Given& given, const Parameter& p) {
    if (!p.storage()->sparse()) {
      given.dense(p, numbers(p.storage()->size()));
      return;
    }
    std::vector<int32_t> rows;
    for (int32_t row = 0; row < p.shape()[0]; ++row)
      if (once_in(float(row + 1))) rows.push_back(row);
    const size_t n = rows.size() * p.storage()->row_size();
    given.rows(p, std::move(rows), numbers(n));
  }

 private:
  uint64_t seed_, count_ = 0;
};

}  // namespace espalier::optim
