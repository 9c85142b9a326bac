// Kernels from source: compiled by NVRTC when first asked for, kept in memory, and as machine code on disk for the next
// process ($ESPALIER_CACHE, or espalier in $XDG_CACHE_HOME, ~/.cache). Processes may start at once: a file is written
// under another name and then renamed. A file that is not whole is compiled anew. An empty ESPALIER_CACHE keeps none.
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
  // The function `name`, declared extern "C" in the source. Any thread, with the device in use.
  CUfunction get(const std::string& source, const char* name);

 private:
  std::string architecture_;  // for NVRTC: sm_90, or compute_90
  std::string version_;       // of NVRTC: in the names of files
  std::string folder_;        // of the cache; empty: none
  std::mutex mutex_;
  std::unordered_map<std::string, CUfunction> made_;  // by source
};

// What NVRTC, which knows these architectures, compiles for on a GPU of this one: machine code (sm_90) or, for a GPU
// that is newer than it, PTX of the last one before (compute_90), which the driver translates.
std::string compiled_for(int architecture, std::span<const int> known);
// Machine code, or PTX, for such a target; InternalError that shows the source where it does not compile.
std::vector<char> compile_kernel(const std::string& source, const std::string& architecture);

// The name of the file that keeps it, given all that it depends on.
std::string cached_kernel_name(const std::string& source, const std::string& architecture, const std::string& version);
// What a whole file holds, or nothing; written and read by all processes of one user.
std::vector<char> read_cached_kernel(const std::string& path);
void write_cached_kernel(const std::string& path, const std::vector<char>& code);  // as far as it can

}  // namespace espalier
