// Inference: results that a device may still be computing.
#pragma once
#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include <espalier/base/owned.h>
#include <espalier/engine/results.h>
#include <espalier/tensor/tensor.h>

namespace espalier {

struct PendingRows;

namespace detail {
inline constexpr char inference_name[] = "inference";

// Tensors in one block, parts of which a device may still be computing.
struct ESPALIER_API PendingTensors {
  struct Part {
    std::shared_ptr<const PendingRows> rows;
    float* to;  // in `block`
  };
  std::shared_ptr<float[]> block;
  std::vector<Part> parts;      // rows that are not in the block yet
  std::vector<Tensor> tensors;  // views of the block

  // Both wait.
  std::vector<Tensor> get() &&;
  Tensor stack() &&;  // all as one, [n, shape...]; the tensors must have equal shapes
};

// Results with tensors in place of their Exprs; `tensors` has one per Expr, in order.
template <class T, class Results>
std::vector<Values<T>> results_with(std::vector<Tensor> tensors, Results&& results) {
  if constexpr (std::same_as<T, Expr>) {
    return tensors;
  } else {
    std::vector<Values<T>> taken;
    Tensor* next = tensors.data();
    taken.reserve(results.size());
    for (auto&& r : results) taken.push_back(take_values(part_of<Results>(r), next));
    return taken;
  }
}
}  // namespace detail

// The result of Engine::start. Independent of the batch, its graphs and the engine.
template <class T>
class Inference {
 public:
  Inference(std::vector<T> results, detail::PendingTensors tensors)
      : parts_(std::make_unique<Parts>(Parts{std::move(results), std::move(tensors)})) {}

  // Waits, and returns the same as infer(). A second call is a GraphError.
  std::vector<detail::Values<T>> get() {
    Parts parts = std::move(*parts_);
    parts_.reset();
    return detail::results_with<T>(std::move(parts.tensors).get(), std::move(parts.results));
  }

 private:
  struct Parts {
    std::vector<T> results;
    detail::PendingTensors tensors;
  };
  detail::Owned<std::unique_ptr<Parts>, detail::inference_name> parts_;
};

}  // namespace espalier
