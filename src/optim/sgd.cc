// Stochastic gradient descent, with momentum (Polyak 1964) and Nesterov's form of it (Sutskever et al. 2013).
#include <fmt/core.h>

#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

void plain(const Update u) {  // by value: nothing that p could alias
  float* __restrict p = u.value;
  const float* __restrict gradient = u.gradient;
  for (size_t i = 0; i < u.n; ++i) p[i] -= u.lr * (u.scale * gradient[i] + u.decay * p[i]);
}

template <bool Nesterov>
void with_momentum(const Update u, float momentum) {
  float* __restrict p = u.value;
  float* __restrict b = u.moment[0];
  const float* __restrict gradient = u.gradient;
  for (size_t i = 0; i < u.n; ++i) {
    const float g = u.scale * gradient[i] + u.decay * p[i];
    const float sum = momentum * b[i] + g;
    b[i] = sum;
    p[i] -= u.lr * (Nesterov ? g + momentum * sum : sum);
  }
}

class SgdState final : public OptimizerState {
 public:
  SgdState(Parameters& params, const optim::SGDOptions& o)
      : OptimizerState("sgd", params, {o.lr, o.weight_decay, o.clip_norm}),
        momentum_(o.momentum),
        nesterov_(o.nesterov) {
    if (!(momentum_ >= 0 && momentum_ < 1))
      throw Error(fmt::format("sgd: momentum is {}; it must be at least 0 and below 1", momentum_));
    if (nesterov_ && momentum_ == 0) throw Error("sgd: nesterov is given without momentum; it needs momentum > 0");
  }

  std::string_view rule() const override { return "sgd"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"momentum"};
    return {names, momentum_ > 0 ? 1u : 0u};
  }

 protected:
  void begin(uint64_t) override {}
  void apply(const Update& u) const override {
    if (momentum_ == 0) return plain(u);
    return nesterov_ ? with_momentum<true>(u, momentum_) : with_momentum<false>(u, momentum_);
  }

 private:
  float momentum_;
  bool nesterov_;
};

}  // namespace
}  // namespace detail

namespace optim {
SGD::SGD(Parameters& params, SGDOptions options) : Optimizer(std::make_shared<detail::SgdState>(params, options)) {}
}  // namespace optim

}  // namespace espalier
