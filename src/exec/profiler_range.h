// A named range of host time for profilers that read NVTX, such as Nsight Systems. Without a profiler, or in a build
// without CUDA, it costs two function calls.
#pragma once

namespace espalier {

void begin_profiler_range(const char* name);
void end_profiler_range();

class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name) { begin_profiler_range(name); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { end_profiler_range(); }
};

}  // namespace espalier
