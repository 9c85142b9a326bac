// Pipeline: threads record, schedule and plan the next minibatches while one runs, for a device that is faster than one
// thread can record. Results have the same bits as without a pipeline.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <espalier/engine/engine.h>

namespace espalier {

namespace detail {
inline constexpr char pipeline_name[] = "pipeline";

// One minibatch to prepare.
struct PipelineRequest {
  Minibatch minibatch;
  RecordOne one;                                                       // records one example
  std::function<void(size_t position, std::vector<Expr>&)> values_of;  // appends the Exprs of its result
  float scale = 1;
  bool mean = false;
};

class ESPALIER_API PipelineCore {
 public:
  PipelineCore(Engine& engine, int threads, Mode mode);
  PipelineCore(PipelineCore&&) noexcept;
  PipelineCore& operator=(PipelineCore&&) noexcept;
  ~PipelineCore();

  void push(PipelineRequest request, std::span<const uint32_t> sizes);
  size_t size() const;
  size_t taken() const;
  void check(Mode mode) const;  // throws unless a minibatch can be taken in this mode
  Gradients backward();
  PendingTensors start();

 private:
  struct State;
  template <class F>
  auto with_oldest(std::string_view who, F&& f);
  Owned<std::unique_ptr<State>, pipeline_name> state_;
};
}  // namespace detail

struct PushOptions {
  float scale = 1;                    // of the losses, as in Engine::backward
  bool mean = false;                  // also divide the scale by the number of losses of the minibatch
  std::span<const uint32_t> sizes{};  // as RecordOptions::sizes
};

// Calls f(Graph&, id) -> T for each id of a minibatch, as Engine::record does, in several threads. T holds Exprs and is
// not a Task, which would have to wait for values. The engine may be moved, and is called from one thread at a time as
// always; once the engine is destroyed, push, backward and start throw GraphErrors.
template <class F>
class Pipeline {
  using T = typename detail::ResultOf<F, uint64_t>::type;
  static_assert(!detail::Recording<T>::waits,
                "a Task waits for values, so it cannot be recorded before they are computed");

 public:
  // Each thread prepares one minibatch at a time; at most 2 * threads minibatches are prepared and not taken.
  Pipeline(Engine& engine, int threads, F f, Mode mode = Mode::train)
      : core_(engine, threads, mode), f_(std::make_shared<F>(std::move(f))) {}

  // Queues a minibatch for preparation, and returns at once.
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
  size_t size() const { return core_.size(); }    // minibatches pushed and not taken
  size_t taken() const { return core_.taken(); }  // Exprs in the results of the minibatch that was taken last

  // Both wait until the oldest minibatch is prepared, take it and run it. backward() returns the gradient of the sum of
  // all Exprs in its results, as Engine::backward does; start() returns their values, as Engine::start does. Exceptions
  // from recording are thrown here, and drop the minibatch.
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
  std::deque<std::shared_ptr<std::vector<std::optional<T>>>> results_;  // per minibatch that is not taken
};

}  // namespace espalier
