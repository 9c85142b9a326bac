// profile: where an engine's time went, as text.
#include <fmt/format.h>

#include <array>

#include <espalier/engine/engine.h>
#include "engine/bytes.h"

namespace espalier {

std::string Engine::profile() const {
  const Counters c = counters();
  struct Stage {
    std::string_view name;
    double seconds;
  };
  const std::array<Stage, 8> stages{{{"record", c.record_s},
                                     {"schedule", c.schedule_s},
                                     {"plan", c.plan_s},
                                     {"gather", c.gather_s},
                                     {"product", c.product_s},
                                     {"elementwise", c.elementwise_s},
                                     {"other ops", c.other_s},
                                     {"weight gradients", c.accumulate_s}}};
  double total = 0;
  for (const Stage& s : stages) total += s.seconds;
  std::string text = fmt::format("{} rounds, {} calls in {} steps, {} launches, {} copied\n", c.rounds, c.calls,
                                 c.steps, c.launches, detail::bytes(c.copied_bytes));
  for (const Stage& s : stages)
    text += fmt::format("  {:<17} {:>9.3f} ms  {:>5.1f} %\n", s.name, s.seconds * 1e3,
                        total > 0 ? 100 * s.seconds / total : 0);
  return text;
}

}  // namespace espalier
