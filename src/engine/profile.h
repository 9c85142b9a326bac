// profile: the time of an engine per stage and per cell, as text.
#pragma once
#include <string>

#include <espalier/engine/engine.h>
#include "exec/cell_times.h"

namespace espalier::detail {

// Host and GPU run in parallel, so each has its own 100 %. `cells` may be empty.
std::string profile(const Counters& counters, const EngineOptions& options, const CellTimes& cells);

}  // namespace espalier::detail
