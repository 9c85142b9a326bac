// Round: the stages of a session's round as separate functions, to time each of them.
#pragma once
#include <espalier/engine/engine.h>

#include <memory>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "graph/tape.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::micro {

class Round {
 public:
  explicit Round(const GraphTape& tape) : tape_(tape) {}

  void schedule(std::span<const uint32_t> calls, Policy policy = Policy::automatic) {
    scheduler_.run(tape_, calls, policy, schedule_);
  }
  void plan() { forward_.plan(tape_, schedule_, {}, {}, layout_, plan_); }
  void plan_backward(std::span<const uint32_t> losses) { backward_.plan(tape_, layout_, losses, 1, {}, {}, plan_); }
  void run() {
    executor_->run(
        plan_, {.layout = &layout_, .data = tape_.data.data(), .data_size = tape_.data.size(), .train = tape_.train});
  }
  void forget() { layout_.clear(); }

  const Schedule& steps() const { return schedule_; }

 private:
  const GraphTape& tape_;
  Scheduler scheduler_;
  Schedule schedule_;
  Layout layout_;
  ForwardPlanner forward_;
  BackwardPlanner backward_;
  Plan plan_;
  std::unique_ptr<Executor> executor_ = make_executor(Device::cpu());
};

}  // namespace espalier::micro
