// The data of a persistent kernel, which host and device share, checked against the types of a plan.
#pragma once
#include <cstddef>

#include "exec/gpu/device/persistent/types.h"
#include "plan/plan.h"

namespace espalier::persistent {

static_assert(row_unit == unit);
static_assert(sizeof(Gather) == sizeof(GatherView) &&
              offsetof(Gather, first_source) == offsetof(GatherView, first_source) &&
              offsetof(Gather, first_offset) == offsetof(GatherView, first_offset) &&
              offsetof(Gather, rows) == offsetof(GatherView, rows) &&
              offsetof(Gather, size) == offsetof(GatherView, size) &&
              offsetof(Gather, stride) == offsetof(GatherView, stride) &&
              offsetof(Gather, out) == offsetof(GatherView, out));

}  // namespace espalier::persistent
