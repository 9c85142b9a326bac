// Minibatches of which the next are recorded, scheduled and planned by threads of their own while one runs: for a
// device that is faster than one thread can record. What runs, and its bits, are the same as without.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <espalier/engine/engine.h>

namespace espalier {

namespace detail {
struct PipelineState;
inline constexpr char pipeline_name[] = "pipeline";

// One minibatch that is to be prepared.
struct PipelineOrder {
  Minibatch minibatch;
  RecordOne one;                                                    // records the example at a position
  std::function<void(size_t position, std::vector<Expr>&)> wanted;  // its values, when it is recorded
  float scale = 1;
  bool mean = false;
};

class ESPALIER_API PipelineCore {
 public:
  PipelineCore(Engine& engine, int threads, Mode mode);
  PipelineCore(PipelineCore&&) noexcept;
  PipelineCore& operator=(PipelineCore&&) noexcept;
  ~PipelineCore();

  void push(PipelineOrder order, std::span<const uint32_t> sizes);
  size_t size() const;
  size_t taken() const;
  void check(Mode mode) const;  // that one can be taken so
  Gradients backward();
  PendingTensors start();

 private:
  Owned<std::unique_ptr<PipelineState>, pipeline_name> state_;
};
}  // namespace detail

struct PushOptions {
  float scale = 1;                    // of the losses, as Engine::backward takes it …
  bool mean = false;                  // … and over their number, which is known when all are recorded
  std::span<const uint32_t> sizes{};  // as RecordOptions::sizes
};

// f(Graph&, id) -> T for each id of a minibatch, as Engine::record calls it, in several threads; T is made of Exprs,
// and no Task, which would have to wait for values. The engine, which may be moved, is used by one
// thread, as ever; when it is gone, push, backward and start are GraphErrors.
template <class F>
class Pipeline {
  using T = typename detail::ResultOf<F, uint64_t>::type;
  static_assert(!detail::Recording<T>::waits, "what waits for values cannot be recorded before they are computed");

 public:
  // As many threads prepare a minibatch each, and at most twice as many are prepared.
  Pipeline(Engine& engine, int threads, F f, Mode mode = Mode::train)
      : core_(engine, threads, mode), f_(std::make_shared<F>(std::move(f))) {}

  // Asks for a minibatch, and returns at once.
  void push(Minibatch minibatch, const PushOptions& options = {}) {
    const auto results = std::make_shared<std::vector<std::optional<T>>>(minibatch.ids.size());
    const auto ids = std::make_shared<const std::vector<uint64_t>>(minibatch.ids);
    core_.push({std::move(minibatch),
                [f = f_, results, ids](Graph& g, size_t i) -> std::unique_ptr<detail::Waiting> {
                  (*results)[i].emplace((*f)(g, (*ids)[i]));
                  return nullptr;
                },
                [results](size_t i, std::vector<Expr>& values) {
                  detail::each_expr(*(*results)[i], [&](const Expr& x) { values.push_back(x); });
                },
                options.scale, options.mean},
               options.sizes);
    results_.push_back(results);
  }
  size_t size() const { return core_.size(); }    // of those that were asked for and not taken
  size_t taken() const { return core_.taken(); }  // Exprs in the results of the one that was taken last

  // Of the oldest minibatch, when it is prepared: its gradients, as Engine::backward gives them for all Exprs of the
  // results; or their values, as Engine::start does. What failed in recording is thrown, and the minibatch is gone.
  Gradients backward() {
    core_.check(Mode::train);
    results_.pop_front();
    return core_.backward();
  }
  Inference<T> start() {
    core_.check(Mode::infer);
    const auto results = std::move(results_.front());
    results_.pop_front();
    detail::PendingTensors tensors = core_.start();
    std::vector<T> all;
    for (auto& r : *results) all.push_back(std::move(*r));
    return {std::move(all), std::move(tensors)};
  }

 private:
  detail::PipelineCore core_;
  std::shared_ptr<F> f_;
  std::deque<std::shared_ptr<std::vector<std::optional<T>>>> results_;  // of those that were not taken
};

}  // namespace espalier
