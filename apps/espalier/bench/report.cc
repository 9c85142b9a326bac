#include "bench/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/names.h"

namespace espalier::app::bench {
namespace {

// "walk", the last share, exists on a GPU only.
size_t shares_on(Device::Kind device) { return Result::shares.size() - (device == Device::Kind::cuda ? 0 : 1); }

}  // namespace

std::string json(const Row& row) {
  const Setup& s = row.setup;
  const Result& r = row.result;
  nlohmann::ordered_json share;
  for (size_t i = 0; i < shares_on(s.engine.device.kind); ++i) share[std::string(Result::shares[i])] = r.share[i];
  nlohmann::ordered_json object{
      {"task", row.task},
      {"mode", name_of(modes, s.mode)},
      {"policy", name_of(policies, s.engine.policy)},
      {"batch", s.batch},
      {"device", name_of(devices, s.engine.device.kind)},
      {"threads", s.engine.threads},
      {"precision", name_of(precisions, s.engine.precision)},
      {"examples_per_s", r.examples_per_s},
      {"tokens_per_s", r.tokens_per_s},
      {"examples_per_s_mad", r.examples_per_s_mad},
      {"calls", r.calls},
      {"steps", r.steps},
      {"lower_bound_steps", r.lower_bound_steps},
      {"launches", r.launches},
      {"copied_bytes", r.copied_bytes},
      {"host_ns_per_call", {{"record", r.record_ns}, {"schedule", r.schedule_ns}, {"plan", r.plan_ns}}},
      {"host_us_per_example", r.host_us_per_example},
      {"share", share},
      {"product_flops_per_example", r.product_flops_per_example},
      {"product_limit_flops_per_s", r.product_limit_flops_per_s},
      {"roofline", r.roofline},
      {"peak_bytes", r.peak_bytes},
      {"loss", r.loss}};
  if (s.ahead > 0) object["ahead"] = s.ahead;
  if (s.keep_recordings) object["keep_recordings"] = true;
  if (s.on_gpu()) object["device_us_per_example"] = r.device_us_per_example;
  return object.dump() + "\n";
}

namespace {

constexpr std::string_view columns =
    "{:<12} {:<5} {:<6} {:>5} {:>3}  {:>10} {:>8} {:>10}  {:>7} {:>7}  {:>7}{}  {}  {:>8}  {:>6}  {:>9}\n";

}  // namespace

// Shares are printed in per cent.
std::string table_head(Device::Kind device) {
  std::string shares;
  for (size_t i = 0; i < shares_on(device); ++i) shares += fmt::format("{:>5}", Result::shares[i].substr(0, 4));
  return fmt::format(fmt::runtime(columns), "task", "mode", "policy", "batch", "thr", "examples/s", "±", "tokens/s",
                     "steps", "bound", "host µs", device == Device::Kind::cuda ? fmt::format("  {:>7}", "GPU µs") : "",
                     shares, "roofline", "MB", "loss");
}

std::string table_line(const Row& row) {
  const Result& r = row.result;
  std::string shares;
  for (size_t i = 0; i < shares_on(row.setup.engine.device.kind); ++i)
    shares += fmt::format("{:>5.1f}", 100 * r.share[i]);
  const auto number = [](double x) { return x < 100 ? fmt::format("{:.2f}", x) : fmt::format("{:.0f}", x); };
  return fmt::format(
      fmt::runtime(columns), row.task, name_of(modes, row.setup.mode), name_of(policies, row.setup.engine.policy),
      row.setup.batch,
      row.setup.ahead > 0 ? fmt::format("+{}", row.setup.ahead) : std::to_string(row.setup.engine.threads),
      number(r.examples_per_s), number(r.examples_per_s_mad), number(r.tokens_per_s), fmt::format("{:.1f}", r.steps),
      fmt::format("{:.1f}", r.lower_bound_steps), fmt::format("{:.2f}", r.host_us_per_example),
      row.setup.on_gpu() ? fmt::format("  {:>7.2f}", r.device_us_per_example) : "", shares,
      fmt::format("{:.3f}", r.roofline), fmt::format("{:.0f}", static_cast<double>(r.peak_bytes) / 1e6),
      fmt::format("{:.4g}", r.loss));
}

}  // namespace espalier::app::bench
