#include "exec/cuda/compile/kernels.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "exec/cuda/check.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;

std::string cache_folder() {
  if (const char* own = std::getenv("ESPALIER_CACHE"); own != nullptr) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::string(cache) + "/espalier";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/espalier";
  return {};
}

constexpr std::array<char, 8> magic{'e', 's', 'p', 'k', 'e', 'r', 'n', '1'};

uint64_t checksum(const std::vector<char>& code) { return mix(std::string_view(code.data(), code.size())); }

}  // namespace

std::string cached_kernel_name(const std::string& source, const std::string& architecture, const std::string& version) {
  const uint64_t first = mix(source), second = mix(mix(architecture), mix(mix(version), mix(source + "\n")));
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "%016llx%016llx.cubin", static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(second));
  return name.data();
}

std::vector<char> read_cached_kernel(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, magic.size()> begin{};
  uint64_t size = 0, sum = 0;
  if (!file.read(begin.data(), begin.size()) || begin != magic) return {};
  if (!file.read(reinterpret_cast<char*>(&size), sizeof size) || !file.read(reinterpret_cast<char*>(&sum), sizeof sum))
    return {};
  std::error_code none;
  if (fs::file_size(path, none) != magic.size() + sizeof size + sizeof sum + size || none) return {};
  std::vector<char> code(size);
  if (!file.read(code.data(), static_cast<std::streamsize>(size)) || checksum(code) != sum) return {};
  return code;
}

void write_cached_kernel(const std::string& path, const std::vector<char>& code) {
  std::error_code none;
  fs::create_directories(fs::path(path).parent_path(), none);
  static std::atomic<uint64_t> drafts = 0;
  const std::string draft = path + "." + std::to_string(getpid()) + "." + std::to_string(++drafts);
  const uint64_t size = code.size(), sum = checksum(code);
  {
    std::ofstream file(draft, std::ios::binary);
    file.write(magic.data(), magic.size());
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file.write(reinterpret_cast<const char*>(&sum), sizeof sum);
    file.write(code.data(), static_cast<std::streamsize>(size));
    file.close();
    if (!file) {
      fs::remove(draft, none);
      return;
    }
  }
  fs::rename(draft, path, none);
  if (none) fs::remove(draft, none);
}

std::string compiled_for(int architecture, std::span<const int> known) {
  int best = 0;
  for (const int k : known)
    if (k <= architecture) best = std::max(best, k);
  return (best == architecture ? "sm_" : "compute_") + std::to_string(best);
}

void Kernels::open(int architecture) {
  int major = 0, minor = 0;
  nvrtc().check(nvrtc().nvrtcVersion(&major, &minor), "version of NVRTC");
  int count = 0;
  nvrtc().check(nvrtc().nvrtcGetNumSupportedArchs(&count), "architectures of NVRTC");
  std::vector<int> known(static_cast<size_t>(count));
  nvrtc().check(nvrtc().nvrtcGetSupportedArchs(known.data()), "architectures of NVRTC");
  architecture_ = compiled_for(architecture, known);
  version_ = std::to_string(major) + "." + std::to_string(minor);
  folder_ = cache_folder();
}

CUfunction Kernels::get(const std::string& source, const char* name) {
  const std::lock_guard lock(mutex_);
  if (const auto it = made_.find(source); it != made_.end()) return it->second;
  const CudaDriver& driver = cuda_driver();
  const std::string path = folder_.empty() ? "" : folder_ + "/" + cached_kernel_name(source, architecture_, version_);
  CUmodule module = nullptr;  // lives as long as the device
  if (!path.empty())
    if (const std::vector<char> kept = read_cached_kernel(path); !kept.empty())
      if (driver.cuModuleLoadData(&module, kept.data()) != CUDA_SUCCESS) module = nullptr;
  if (module == nullptr) {
    const std::vector<char> code = compile_kernel(source, architecture_);
    driver.check(driver.cuModuleLoadData(&module, code.data()), "loading a kernel");
    if (!path.empty()) write_cached_kernel(path, code);
  }
  CUfunction function = nullptr;
  driver.check(driver.cuModuleGetFunction(&function, module, name), "finding a kernel");
  made_.emplace(source, function);
  return function;
}

std::vector<char> compile_kernel(const std::string& source, const std::string& architecture) {
  const Nvrtc& n = nvrtc();
  nvrtcProgram program = nullptr;
  n.check(n.nvrtcCreateProgram(&program, source.c_str(), "espalier.cu", 0, nullptr, nullptr), "a kernel's source");
  const std::string target = "--gpu-architecture=" + architecture;
  const std::array<const char*, 2> options{target.c_str(), "--std=c++17"};
  const nvrtcResult answer = n.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  if (answer != NVRTC_SUCCESS) {
    size_t size = 0;
    n.nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    n.nvrtcGetProgramLog(program, log.data());
    n.nvrtcDestroyProgram(&program);
    throw InternalError("cuda: a kernel does not compile: " + log + "\n" + source);
  }
  const bool ptx = architecture.starts_with("compute_");
  size_t size = 0;
  n.check(ptx ? n.nvrtcGetPTXSize(program, &size) : n.nvrtcGetCUBINSize(program, &size), "size of a kernel");
  std::vector<char> code(size);
  n.check(ptx ? n.nvrtcGetPTX(program, code.data()) : n.nvrtcGetCUBIN(program, code.data()), "code of a kernel");
  n.nvrtcDestroyProgram(&program);
  return code;
}

}  // namespace espalier
