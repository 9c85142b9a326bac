// Runs several sessions at the same time, one thread each.
#include <algorithm>

#include "engine/state/engine_state.h"
#include "exec/cpu/product/product.h"

namespace espalier::detail {
namespace {

// RAII: marks the engine as executing kernels.
class Running {
 public:
  explicit Running(EngineAccess& access) : access_(access) { access_.running = true; }
  ~Running() { access_.running = false; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  EngineAccess& access_;
};

}  // namespace

void EngineState::run_in_threads(std::span<SessionValues> of, const std::function<void(SessionValues&, size_t)>& f) {
  errors_.assign(of.size(), nullptr);
  auto one = [&](size_t i) {
    const SingleThread single;
    try {
      of[i].session->concurrent_executors = static_cast<unsigned>(of.size());
      f(of[i], i);
    } catch (...) {
      errors_[i] = std::current_exception();
    }
  };
  {
    const Running running(*access);
    if (of.size() == 1)
      one(0);
    else
      workers->run(of.size(), std::ref(one));
  }
  for (const auto& e : errors_)
    if (e) std::rethrow_exception(e);
}

Gradients EngineState::sum_of_gradients(std::span<SessionValues> of,
                                        const std::function<void(SessionValues&, size_t, GradientState&)>& f) {
  parts_.clear();
  for (size_t i = 0; i < std::max<size_t>(of.size(), 1); ++i) parts_.push_back(lend_gradients());
  in_threads(of, [&](SessionValues& one, size_t i) { f(one, i, *parts_[i]); });
  Gradients total(parts_[0]);
  const std::span<const std::shared_ptr<GradientState>> others = std::span(parts_).subspan(1);
  shard_sums_.add(*parts_[0], others);
  for (const auto& other : others) {
    parts_[0]->loss.add(other->loss);
    for (WatchedEntry& w : other->watched) parts_[0]->watched.push_back(std::move(w));
  }
  parts_.clear();  // the first belongs to the caller, the others are free again
  return total;
}

}  // namespace espalier::detail
