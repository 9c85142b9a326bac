// Offers the steps of a plan to the planner of persistent kernels. It needs no device.
#pragma once
#include "exec/gpu/bf16/unrounded.h"
#include "exec/gpu/persistent/planner.h"
#include "exec/plan_view.h"

namespace espalier::persistent {

// `base` is the arena, `memory` holds the parameters. `unrounded` has the factors of bf16 products; null with other
// precisions.
void find_steps(const Plan& plan, const Layout& layout, float* base, DeviceMemory& memory, const Unrounded* unrounded,
                const Capacity& capacity, Planner& planner);

}  // namespace espalier::persistent
