// profile: where an engine's time went, as text.
#pragma once
#include <string>

#include <espalier/engine/engine.h>
#include "exec/cell_times.h"

namespace espalier::detail {

// By stage; and by cell, if there is any. A GPU works beside the host, so that each has its own 100 %.
std::string profile(const Counters& counters, const EngineOptions& options, const CellTimes& cells);

}  // namespace espalier::detail
