#include "exec/cuda/product/product.h"

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "exec/cuda/check.h"

namespace espalier {
namespace {

constexpr size_t workspace_bytes = size_t{32} << 20;  // recommended by cuBLAS for Hopper

bool is_bf16(const Product& p) { return p.rounded_a != nullptr && p.rounded_b != nullptr; }

// The alignment of a pointer and its strides in bytes, at most 16.
unsigned alignment(uintptr_t data, int64_t stride, int64_t apart, size_t element) {
  const uintptr_t bits =
      data | static_cast<uintptr_t>(stride) * element | static_cast<uintptr_t>(apart) * element | 16u;
  return 1u << std::countr_zero(bits);
}
template <class T>
unsigned alignment(const Matrices<T>& m, const uint16_t* rounded = nullptr) {
  if (rounded != nullptr) return alignment(reinterpret_cast<uintptr_t>(rounded), m.stride, m.apart, sizeof(uint16_t));
  return alignment(reinterpret_cast<uintptr_t>(m.data), m.stride, m.apart, sizeof(float));
}

// Sizes within half an octave have the same class.
uint64_t size_class(int64_t n) {
  const auto u = static_cast<uint64_t>(n);
  const auto octave = static_cast<uint64_t>(std::bit_width(u));
  return octave * 2 + (octave >= 2 ? u >> (octave - 2) & 1 : 0);
}

// The smallest product of the same class. The algorithm is chosen for it, so that the choice depends only on the class
// and not on which of its products came first. Its sizes are round; the largest product of a class has odd sizes, for
// which cuBLASLt proposes algorithms of half the speed.
int64_t smallest_of_class(int64_t n) {
  const auto octave = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(n)));
  if (octave < 2) return n;
  const int64_t half = int64_t{1} << (octave - 2);
  return n / half * half;
}
Product smallest_of_class(Product p) {
  p.m = smallest_of_class(p.m);
  p.n = smallest_of_class(p.n);
  p.k = smallest_of_class(p.k);
  p.count = smallest_of_class(p.count);
  return p;
}

// cuBLASLt is column-major: it computes the transpose of c, with b as the first factor.
class Call {
 public:
  Call(const Product& p, cublasComputeType_t of_f32) : lt_(cublas_lt()) {
    const cublasComputeType_t compute = is_bf16(p) ? CUBLAS_COMPUTE_32F : of_f32;
    lt_.check(lt_.cublasLtMatmulDescInit_internal(&description_, sizeof description_, compute, CUDA_R_32F),
              "a product's description");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p.bias != nullptr) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
    }
    const cudaDataType factor = is_bf16(p) ? CUDA_R_16BF : CUDA_R_32F;
    lay_out(first_, factor, p.transpose_b ? p.k : p.n, p.transpose_b ? p.n : p.k, p.b.stride, p.b.apart, p.count);
    lay_out(second_, factor, p.transpose_a ? p.m : p.k, p.transpose_a ? p.k : p.m, p.a.stride, p.a.apart, p.count);
    lay_out(result_, CUDA_R_32F, p.n, p.m, p.c.stride, p.c.apart, p.count);
  }

  // Chooses an algorithm for matrices with the alignment of those of p. False if there is none.
  bool choose(cublasLtHandle_t handle, const Product& p, cublasLtMatmulAlgo_t& algorithm) {
    cublasLtMatmulPreferenceOpaque_t preference;
    lt_.check(lt_.cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference), "a product's preference");
    prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(p.b, p.rounded_b));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(p.a, p.rounded_a));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(p.c));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(p.c));
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t answer = lt_.cublasLtMatmulAlgoGetHeuristic(handle, &description_, &first_, &second_, &result_,
                                                                     &result_, &preference, 1, &found, &count);
    if (answer != CUBLAS_STATUS_SUCCESS || count == 0) return false;
    algorithm = found.algo;
    return true;
  }

  cublasStatus_t run(cublasLtHandle_t handle, const Product& p, const cublasLtMatmulAlgo_t& algorithm, void* workspace,
                     cudaStream_t stream) {
    const float alpha = 1;
    const void* const first = is_bf16(p) ? static_cast<const void*>(p.rounded_b) : p.b.data;
    const void* const second = is_bf16(p) ? static_cast<const void*>(p.rounded_a) : p.a.data;
    return lt_.cublasLtMatmul(handle, &description_, &alpha, first, &first_, second, &second_, &p.beta, p.c.data,
                              &result_, p.c.data, &result_, &algorithm, workspace, workspace_bytes, stream);
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, T value) {
    lt_.check(lt_.cublasLtMatmulDescSetAttribute(&description_, which, &value, sizeof value), "a product's attribute");
  }
  template <class T>
  void prefer(cublasLtMatmulPreferenceOpaque_t& preference, cublasLtMatmulPreferenceAttributes_t which, T value) {
    lt_.check(lt_.cublasLtMatmulPreferenceSetAttribute(&preference, which, &value, sizeof value), "a preference");
  }
  void lay_out(cublasLtMatrixLayoutOpaque_t& layout, cudaDataType type, int64_t rows, int64_t columns, int64_t stride,
               int64_t apart, int64_t count) {
    lt_.check(lt_.cublasLtMatrixLayoutInit_internal(&layout, sizeof layout, type, static_cast<uint64_t>(rows),
                                                    static_cast<uint64_t>(columns), std::max(stride, rows)),
              "a matrix");
    if (count == 1) return;
    const auto batch = static_cast<int32_t>(count);
    lt_.check(lt_.cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch),
              "several matrices");
    lt_.check(lt_.cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart,
                                                   sizeof apart),
              "several matrices");
  }

  const CublasLt& lt_;
  cublasLtMatmulDescOpaque_t description_;
  cublasLtMatrixLayoutOpaque_t first_, second_, result_;
};

}  // namespace

CudaProducts::CudaProducts(CudaDevice& device, Precision precision, cudaStream_t stream)
    : device_(device),
      compute_(precision == Precision::f32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32),
      stream_(stream) {
  check(cudaMalloc(&workspace_, workspace_bytes), "workspace of products");
}
CudaProducts::~CudaProducts() { cudaFree(workspace_); }

size_t CudaProducts::Hash::operator()(const Key& k) const { return mix(k.sizes, k.layout); }

CudaProducts::Key CudaProducts::key_of(const Product& p) {
  return {size_class(p.m) | size_class(p.n) << 8 | size_class(p.k) << 16 | size_class(p.count) << 24,
          alignment(p.a, p.rounded_a) | uint64_t{alignment(p.b, p.rounded_b)} << 8 | uint64_t{alignment(p.c)} << 16 |
              uint64_t{p.transpose_a} << 24 | uint64_t{p.transpose_b} << 25 | uint64_t{p.beta != 0} << 26 |
              uint64_t{is_bf16(p)} << 27 | uint64_t{p.bias != nullptr} << 28 |
              uint64_t{alignment(reinterpret_cast<uintptr_t>(p.bias), 0, 0, sizeof(float))} << 32};
}

// Uses the algorithm of the class, or one for these sizes: the former may not support all sizes of the class.
cublasStatus_t CudaProducts::attempt(const Product& p, bool by_class) {
  Call call(p, compute_);
  cublasLtMatmulAlgo_t algorithm;
  if (by_class) {
    const Key key = key_of(p);
    if (const auto it = chosen_.find(key); it != chosen_.end()) {
      algorithm = it->second;
    } else {
      if (!Call(smallest_of_class(p), compute_).choose(device_.blas, p, algorithm)) return CUBLAS_STATUS_NOT_SUPPORTED;
      chosen_.emplace(key, algorithm);
    }
  } else if (!call.choose(device_.blas, p, algorithm)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return call.run(device_.blas, p, algorithm, workspace_, stream_);
}

bool CudaProducts::try_multiply(const Product& p) {
  return attempt(p, true) == CUBLAS_STATUS_SUCCESS || attempt(p, false) == CUBLAS_STATUS_SUCCESS;
}

void CudaProducts::multiply(const Product& p) {
  constexpr int64_t most = 65535;  // maximum number of blocks in the last dimension of a grid
  if (p.count > most) {
    Product part = p;
    for (int64_t first = 0; first < p.count; first += most) {
      part.count = std::min(p.count - first, most);
      part.a.data = p.a.data + first * p.a.apart;
      part.b.data = p.b.data + first * p.b.apart;
      part.c.data = p.c.data + first * p.c.apart;
      if (is_bf16(p)) {
        part.rounded_a = p.rounded_a + first * p.a.apart;
        part.rounded_b = p.rounded_b + first * p.b.apart;
      }
      multiply(part);
    }
    return;
  }
  if (attempt(p, true) == CUBLAS_STATUS_SUCCESS) return;
  const cublasStatus_t answer = attempt(p, false);
  if (answer == CUBLAS_STATUS_SUCCESS) return;
  if (is_bf16(p)) {  // falls back to the factors in f32
    Product in_f32 = p;
    in_f32.rounded_a = in_f32.rounded_b = nullptr;
    return multiply(in_f32);
  }
  if (answer != CUBLAS_STATUS_NOT_SUPPORTED) cublas_lt().check(answer, "a product");
  throw DeviceError("cuda: cuBLASLt has no algorithm for " + std::to_string(p.count) + " products of [" +
                    std::to_string(p.m) + "," + std::to_string(p.k) + "] and [" + std::to_string(p.k) + "," +
                    std::to_string(p.n) + "]");
}

}  // namespace espalier
