// The counters of a session: its own, and those of its executor.
#include "engine/session/session.h"

namespace espalier::detail {

void Session::count(Counters& c) const {
  const KernelStats& t = executor_->stats;
  c.rounds += counters_.rounds;
  c.calls += counters_.calls;
  c.shared_calls += counters_.shared_calls + tape.shared_before + tape.shared - shared_at_reset_;
  c.recomputed_calls += counters_.recomputed_calls;
  c.steps += counters_.steps;
  c.launches += t.all_launches();
  c.gathers += t.launches[KernelStats::gather];
  c.copied_bytes += t.copied_elements * sizeof(float);
  c.weight_products += t.weight_products;
  c.product_flops += t.product_flops;
  c.arena_growths += executor_->growths();
  c.arena_bytes += executor_->bytes();
  c.schedule_s += counters_.schedule_s;
  c.plan_s += counters_.plan_s;
  c.gather_s += t.seconds[KernelStats::gather];
  c.product_s += t.seconds[KernelStats::product];
  c.elementwise_s += t.seconds[KernelStats::elementwise];
  c.other_s += t.seconds[KernelStats::other];
  c.accumulate_s += t.seconds[KernelStats::accumulate];
  c.persistent_s += t.seconds[KernelStats::persistent];
  c.update_s += t.seconds[KernelStats::update];
}

void Session::take_counters(Session& from) {
  counters_.rounds += from.counters_.rounds;
  counters_.calls += from.counters_.calls;
  counters_.shared_calls += from.tape.shared_before + from.tape.shared - from.shared_at_reset_;
  counters_.recomputed_calls += from.counters_.recomputed_calls;
  counters_.steps += from.counters_.steps;
  counters_.schedule_s += from.counters_.schedule_s;
  counters_.plan_s += from.counters_.plan_s;
  from.counters_ = {};
  from.shared_at_reset_ = from.tape.shared_before + from.tape.shared;
}

void Session::reset_counters() {
  counters_ = {};
  shared_at_reset_ = tape.shared_before + tape.shared;
  executor_->stats = {};
  executor_->cells.reset();
}

}  // namespace espalier::detail
