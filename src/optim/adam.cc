// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), which differ in where the decay goes.
#include <cmath>

#include <fmt/core.h>

#include "optim/adam_loop.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

enum class Decay { in_gradient, decoupled };

class AdamState final : public OptimizerState {
 public:
  AdamState(Decay where, Parameters& params, const optim::AdamOptions& o)
      : OptimizerState(name(where), params, {o.lr, o.weight_decay, o.clip_norm}),
        where_(where),
        beta1_(o.beta1),
        beta2_(o.beta2),
        eps_(o.eps) {
    need_below_one("beta1", beta1_);
    need_below_one("beta2", beta2_);
    if (!(eps_ > 0)) throw Error(fmt::format("{}: eps is {}; it must be above 0", name(where), eps_));
  }

  std::string_view rule() const override { return name(where_); }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"m", "v"};
    return names;
  }

 protected:
  void begin(uint64_t step) override {
    const double t = static_cast<double>(step);
    correct1_ = 1 / (1 - std::pow(static_cast<double>(beta1_), t));
    correct2_ = static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(beta2_), t)));
  }

  void apply(const Update& u) const override {
    const bool decoupled = where_ == Decay::decoupled;
    const AdamLoop loop{.scale = u.scale,
                        .l2 = decoupled ? 0 : u.decay,
                        .shrink = decoupled ? 1 - u.lr * u.decay : 1,
                        .beta1 = beta1_,
                        .beta2 = beta2_,
                        .rate = static_cast<float>(static_cast<double>(u.lr) * correct1_),
                        .correct2 = correct2_,
                        .eps = eps_};
    adam_loop(loop, u.value, u.gradient, u.moment[0], u.moment[1], u.n);
  }

 private:
  static std::string_view name(Decay where) { return where == Decay::decoupled ? "adamw" : "adam"; }
  void need_below_one(const char* what, float beta) const {
    if (!(beta >= 0 && beta < 1))
      throw Error(fmt::format("{}: {} is {}; it must be at least 0 and below 1", rule(), what, beta));
  }

  Decay where_;
  float beta1_, beta2_, eps_;
  double correct1_ = 1;  // 1 / (1 - beta1ᵗ)
  float correct2_ = 1;   // 1 / √(1 - beta2ᵗ)
};

}  // namespace
}  // namespace detail

namespace optim {
Adam::Adam(Parameters& params, AdamOptions options)
    : Optimizer(std::make_shared<detail::AdamState>(detail::Decay::in_gradient, params, options)) {}
AdamW::AdamW(Parameters& params, AdamOptions options)
    : Optimizer(std::make_shared<detail::AdamState>(detail::Decay::decoupled, params, options)) {}
}  // namespace optim

}  // namespace espalier
