// The laws that every op must obey. A law is checked on one sample of one op on one device and uses only the op's
// declaration, so every declared op is checked.
#pragma once
#include "law/devices.h"
#include "law/op/cell.h"

namespace espalier::law {

struct OpLaw {
  std::string_view name;
  // Describes the violation; empty if the law holds.
  std::string (*broken)(const OpCase&, Device);
  bool (*concerns)(Device) = [](Device) { return true; };
};
std::span<const OpLaw> op_laws();

// Calls f(name, law, case, device) for every check; the name reads "gradient/elu/1/cpu".
template <class F>
void each_law(std::span<const OpCase> cases, F&& f) {
  for (const OpLaw& law : op_laws())
    for (const OpCase& c : cases)
      for (Device device : all_devices()) {
        if (!law.concerns(device)) continue;
        f(std::string(law.name) + "/" + std::string(c.op->doc.name) + "/" + std::to_string(c.number) + "/" +
              str(device),
          law, c, device);
      }
}

// Checks that the op rejects an input with the declared message. Describes the violation; empty if there is none.
std::string refusal_broken(const OpInfo& op, const Reject& reject);

// gradient.cc
std::string gradient_broken(const OpCase& c, Device device);
std::string gradient_alone_broken(const OpCase& c, Device device);
// batching.cc
std::string batching_broken(const OpCase& c, Device device);
std::string shortest_broken(const OpCase& c, Device device);
std::string partial_broken(const OpCase& c, Device device);
std::string parity_broken(const OpCase& c, Device device);
std::string rounded_broken(const OpCase& c, Device device);
// key.cc
std::string key_broken(const OpCase& c, Device device);
// large.cc
std::string large_broken(const OpCase& c, Device device);
// declared.cc
std::string shape_broken(const OpCase& c, Device device);
std::string text_broken(const OpCase& c, Device device);
std::string declaration_broken(const OpCase& c, Device device);

// ---- used by the laws

inline EngineOptions on(Device device, Policy policy = Policy::automatic, Precision precision = Precision::f32) {
  EngineOptions o;
  o.device = device;
  o.policy = policy;
  o.precision = precision;
  o.poison = true;
  return o;
}

inline std::vector<Arguments> some_calls(const OpCell& cell, uint64_t n) {
  std::vector<Arguments> calls;
  for (uint64_t i = 0; i < n; ++i) calls.push_back(cell.arguments(i));
  return calls;
}

// Calls f(given) for each source of the op's rows; returns the first violation.
template <class F>
std::string each_way(const OpInfo& op, F&& f) {
  for (Given given : ways(op))
    if (std::string broken = f(given); !broken.empty()) return "given as " + std::string(name(given)) + ": " + broken;
  return {};
}

}  // namespace espalier::law
