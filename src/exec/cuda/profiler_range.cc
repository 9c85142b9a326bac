#include "exec/profiler_range.h"

#include <nvtx3/nvToolsExt.h>

namespace espalier {

void begin_profiler_range(const char* name) { nvtxRangePushA(name); }
void end_profiler_range() { nvtxRangePop(); }

}  // namespace espalier
