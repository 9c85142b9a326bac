// Gradients of one backward pass. No zeroing is needed; accumulate with +=. Move-only.
#pragma once
#include <memory>

#include <espalier/base/owned.h>
#include <espalier/param/parameter.h>

namespace espalier {

class Expr;
namespace detail {
struct GradientState;
inline constexpr char gradients_name[] = "gradients";

// A number that a device may still be computing; get() blocks until it is known.
struct PendingNumber {
  virtual ~PendingNumber() = default;
  virtual double get() const = 0;
};
}  // namespace detail

// An asynchronous scalar; get() blocks until it is known.
class ESPALIER_API Scalar {
 public:
  Scalar() = default;
  explicit Scalar(std::shared_ptr<const detail::PendingNumber> value) : value_(std::move(value)) {}
  float get() const { return value_ ? static_cast<float>(value_->get()) : 0.f; }

 private:
  std::shared_ptr<const detail::PendingNumber> value_;
};

class ESPALIER_API Gradients {
 public:
  explicit Gradients(std::shared_ptr<detail::GradientState> state);
  Gradients(Gradients&&) noexcept = default;
  Gradients& operator=(Gradients&&) noexcept = default;

  Scalar loss() const;                  // Σ scale · loss, a snapshot: later += and *= do not change it
  Tensor of(const Parameter& p) const;  // zeros if the loss does not depend on p
  Tensor of(Expr watched) const;        // GraphError unless it was watched
  float norm() const;                   // over all parameters
  void clip_norm(float limit);          // scales all gradients so that norm() ≤ limit
  Gradients& operator+=(Gradients&& other);
  Gradients& operator*=(float factor);

  const detail::GradientState& state() const { return *state_; }

 private:
  detail::Owned<std::shared_ptr<detail::GradientState>, detail::gradients_name> state_;
};

}  // namespace espalier
