// Kernels from source: compiled by NVRTC on first use, then cached in memory and, for later processes, as machine code
// on disk ($ESPALIER_CACHE, or espalier in $XDG_CACHE_HOME or ~/.cache). An empty ESPALIER_CACHE disables the files.
// Processes may run concurrently: a file is written under another name and then renamed. An incomplete file is ignored.
#pragma once
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/cuda/libraries.h"

namespace espalier {

class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  void open(int architecture);
  // The function `name`, declared extern "C" in the source. Any thread may call this, with the device current.
  CUfunction get(const std::string& source, const char* name);

 private:
  std::string architecture_;  // for NVRTC: sm_90 or compute_90
  std::string version_;       // of NVRTC; part of file names
  std::string folder_;        // of the cache; empty: no files
  std::mutex mutex_;
  std::unordered_map<std::string, CUfunction> made_;  // by source
};

// The target to compile for; `known` are the architectures that NVRTC supports. Machine code (sm_90) if the GPU's
// architecture is known, else PTX of the latest earlier one (compute_90), which the driver translates.
std::string compiled_for(int architecture, std::span<const int> known);
// Machine code or PTX for such a target. InternalError with the source if it does not compile.
std::vector<char> compile_kernel(const std::string& source, const std::string& architecture);

// The name of the cache file, from everything that the code depends on.
std::string cached_kernel_name(const std::string& source, const std::string& architecture, const std::string& version);
// The code in a cache file; empty if the file is missing or incomplete.
std::vector<char> read_cached_kernel(const std::string& path);
void write_cached_kernel(const std::string& path, const std::vector<char>& code);  // failures are ignored

}  // namespace espalier
