// A stretch of the host's time that a profiler shows by name (NVTX, as in Nsight Systems). Where none is attached, or
// the library is built without CUDA, it costs two calls.
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
