#include "exec/cuda/libraries.h"

#include <dlfcn.h>

#include <string>

#include "exec/cuda/check.h"

namespace espalier {
namespace {

class Library {
 public:
  explicit Library(const std::string& file) : file_(file), handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
#ifdef ESPALIER_CUDA_LIBRARIES  // the folder at build time
    if (handle_ == nullptr)
      handle_ = dlopen((std::string(ESPALIER_CUDA_LIBRARIES "/") + file).c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
    if (handle_ == nullptr)
      throw DeviceError("cuda: the library " + file + " cannot be loaded (" + dlerror() +
                        "); it is part of CUDA: add its folder to LD_LIBRARY_PATH");
  }

  template <class F>
  void load(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (function == nullptr) throw DeviceError("cuda: the library " + file_ + " has no " + name + "; it is too old");
  }

 private:
  std::string file_;
  void* handle_;
};

// "libnvrtc.so.13": the major version at build time.
std::string versioned(const char* name) { return std::string(name) + "." + std::to_string(CUDART_VERSION / 1000); }

template <class F>
void load_driver(F& function, const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &how), "the driver");
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &how), "the driver");
#endif
  if (found == nullptr) throw DeviceError(std::string("cuda: the driver has no ") + name + "; it is too old");
  function = reinterpret_cast<F>(found);
}

}  // namespace

void CudaDriver::check(CUresult answer, const char* what) const {
  if (answer == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(answer, &text);
  // The runtime uses the same error codes.
  throw DeviceError(std::string("cuda: ") + what + ": " + (text != nullptr ? text : "unknown error") +
                    how_to_find(static_cast<cudaError_t>(answer)));
}
void CublasLt::check(cublasStatus_t answer, const char* what) const {
  if (answer != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuda: ") + what + ": " + cublasLtGetStatusString(answer));
}
void Nvrtc::check(nvrtcResult answer, const char* what) const {
  if (answer != NVRTC_SUCCESS) throw DeviceError(std::string("cuda: ") + what + ": " + nvrtcGetErrorString(answer));
}

const CudaDriver& cuda_driver() {
  static const CudaDriver all = [] {
    CudaDriver d;
    load_driver(d.cuModuleLoadData, "cuModuleLoadData");
    load_driver(d.cuModuleGetFunction, "cuModuleGetFunction");
    load_driver(d.cuFuncSetAttribute, "cuFuncSetAttribute");
    load_driver(d.cuLaunchKernel, "cuLaunchKernel");
    load_driver(d.cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel");
    load_driver(d.cuMemAddressReserve, "cuMemAddressReserve");
    load_driver(d.cuMemAddressFree, "cuMemAddressFree");
    load_driver(d.cuMemCreate, "cuMemCreate");
    load_driver(d.cuMemRelease, "cuMemRelease");
    load_driver(d.cuMemMap, "cuMemMap");
    load_driver(d.cuMemUnmap, "cuMemUnmap");
    load_driver(d.cuMemSetAccess, "cuMemSetAccess");
    load_driver(d.cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity");
    load_driver(d.cuGetErrorString, "cuGetErrorString");
    return d;
  }();
  return all;
}

const CublasLt& cublas_lt() {
  static const CublasLt all = [] {
    const Library library(versioned("libcublasLt.so"));
    CublasLt c;
    library.load(c.cublasLtCreate, "cublasLtCreate");
    library.load(c.cublasLtMatmul, "cublasLtMatmul");
    library.load(c.cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
    library.load(c.cublasLtMatmulDescInit_internal, "cublasLtMatmulDescInit_internal");
    library.load(c.cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
    library.load(c.cublasLtMatrixLayoutInit_internal, "cublasLtMatrixLayoutInit_internal");
    library.load(c.cublasLtMatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute");
    library.load(c.cublasLtMatmulPreferenceInit_internal, "cublasLtMatmulPreferenceInit_internal");
    library.load(c.cublasLtMatmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute");
    library.load(c.cublasLtGetStatusString, "cublasLtGetStatusString");
    return c;
  }();
  return all;
}

const Nvrtc& nvrtc() {
  static const Nvrtc all = [] {
    const Library library(versioned("libnvrtc.so"));
    Nvrtc n;
    library.load(n.nvrtcVersion, "nvrtcVersion");
    library.load(n.nvrtcCreateProgram, "nvrtcCreateProgram");
    library.load(n.nvrtcDestroyProgram, "nvrtcDestroyProgram");
    library.load(n.nvrtcCompileProgram, "nvrtcCompileProgram");
    library.load(n.nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
    library.load(n.nvrtcGetProgramLog, "nvrtcGetProgramLog");
    library.load(n.nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
    library.load(n.nvrtcGetCUBIN, "nvrtcGetCUBIN");
    library.load(n.nvrtcGetPTXSize, "nvrtcGetPTXSize");
    library.load(n.nvrtcGetPTX, "nvrtcGetPTX");
    library.load(n.nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs");
    library.load(n.nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs");
    library.load(n.nvrtcGetErrorString, "nvrtcGetErrorString");
    return n;
  }();
  return all;
}

}  // namespace espalier
