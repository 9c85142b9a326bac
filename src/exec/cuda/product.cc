#include "exec/cuda/product.h"

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "exec/cuda/check.h"

namespace espalier {
namespace {

constexpr size_t workspace_bytes = size_t{32} << 20;  // what cuBLAS recommends for Hopper

cublasComputeType_t compute_type(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return CUBLAS_COMPUTE_32F;
    case Precision::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Precision::bf16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
  }
  return CUBLAS_COMPUTE_32F;
}

// How many bytes a pointer, and what is added to it, are multiples of; at most 16.
unsigned alignment(const void* data, int64_t stride, int64_t apart) {
  const auto bits =
      reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(stride * 4) | static_cast<uintptr_t>(apart * 4) | 16u;
  return 1u << std::countr_zero(bits);
}

// Sizes that differ by less than half an octave are of one class.
uint64_t size_class(int64_t n) {
  const auto u = static_cast<uint64_t>(n);
  const auto octave = static_cast<uint64_t>(std::bit_width(u));
  return octave * 2 + (octave >= 2 ? u >> (octave - 2) & 1 : 0);
}

// The smallest product of the same class: an algorithm is chosen for it, so that it follows from the class alone, and not
// from which product of the class came first. It has round sizes; the largest has odd ones, for which cuBLASLt proposes
// algorithms of half the speed.
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

// cuBLASLt counts column by column: our c is its c transposed, so that our b comes first.
class Call {
 public:
  Call(const Product& p, cublasComputeType_t compute) : lt_(cublas_lt()) {
    lt_.check(lt_.cublasLtMatmulDescInit_internal(&description_, sizeof description_, compute, CUDA_R_32F),
              "a product's description");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    lay_out(first_, p.transpose_b ? p.k : p.n, p.transpose_b ? p.n : p.k, p.b.stride, p.b.apart, p.count);
    lay_out(second_, p.transpose_a ? p.m : p.k, p.transpose_a ? p.k : p.m, p.a.stride, p.a.apart, p.count);
    lay_out(result_, p.n, p.m, p.c.stride, p.c.apart, p.count);
  }

  // For what lies in memory as p does.
  bool choose(cublasLtHandle_t handle, const Product& p, cublasLtMatmulAlgo_t& algorithm) {
    cublasLtMatmulPreferenceOpaque_t preference;
    lt_.check(lt_.cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference), "a product's preference");
    prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(p.b.data, p.b.stride, p.b.apart));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(p.a.data, p.a.stride, p.a.apart));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(p.c.data, p.c.stride, p.c.apart));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(p.c.data, p.c.stride, p.c.apart));
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
    return lt_.cublasLtMatmul(handle, &description_, &alpha, p.b.data, &first_, p.a.data, &second_, &p.beta, p.c.data,
                              &result_, p.c.data, &result_, &algorithm, workspace, workspace_bytes, stream);
  }

 private:
  void set(cublasLtMatmulDescAttributes_t which, int32_t value) {
    lt_.check(lt_.cublasLtMatmulDescSetAttribute(&description_, which, &value, sizeof value), "a product's attribute");
  }
  template <class T>
  void prefer(cublasLtMatmulPreferenceOpaque_t& preference, cublasLtMatmulPreferenceAttributes_t which, T value) {
    lt_.check(lt_.cublasLtMatmulPreferenceSetAttribute(&preference, which, &value, sizeof value), "a preference");
  }
  void lay_out(cublasLtMatrixLayoutOpaque_t& layout, int64_t rows, int64_t columns, int64_t stride, int64_t apart,
               int64_t count) {
    lt_.check(lt_.cublasLtMatrixLayoutInit_internal(&layout, sizeof layout, CUDA_R_32F, static_cast<uint64_t>(rows),
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
    : device_(device), compute_(compute_type(precision)), stream_(stream) {
  check(cudaMalloc(&workspace_, workspace_bytes), "workspace of products");
}
CudaProducts::~CudaProducts() { cudaFree(workspace_); }

size_t CudaProducts::Hash::operator()(const Key& k) const { return mix(k.sizes, k.layout); }

CudaProducts::Key CudaProducts::key_of(const Product& p) {
  const auto lies = [](const auto& m) { return alignment(m.data, m.stride, m.apart); };
  return {size_class(p.m) | size_class(p.n) << 8 | size_class(p.k) << 16 | size_class(p.count) << 24,
          lies(p.a) | uint64_t{lies(p.b)} << 8 | uint64_t{lies(p.c)} << 16 | uint64_t{p.transpose_a} << 24 |
              uint64_t{p.transpose_b} << 25 | uint64_t{p.beta != 0} << 26};
}

void CudaProducts::multiply(const Product& p) {
  Call call(p, compute_);
  const Key key = key_of(p);
  auto it = chosen_.find(key);
  if (it == chosen_.end()) {
    const Product smallest = smallest_of_class(p);
    cublasLtMatmulAlgo_t algorithm;
    if (Call(smallest, compute_).choose(device_.blas, p, algorithm)) it = chosen_.emplace(key, algorithm).first;
  }
  if (it != chosen_.end() && call.run(device_.blas, p, it->second, workspace_, stream_) == CUBLAS_STATUS_SUCCESS)
    return;
  // An algorithm may not do for all sizes of its class: then this product has its own.
  cublasLtMatmulAlgo_t algorithm;
  if (!call.choose(device_.blas, p, algorithm))
    throw DeviceError("cuda: cuBLASLt has no algorithm for " + std::to_string(p.count) + " products of [" +
                      std::to_string(p.m) + "," + std::to_string(p.k) + "] and [" + std::to_string(p.k) + "," +
                      std::to_string(p.n) + "]");
  cublas_lt().check(call.run(device_.blas, p, algorithm, workspace_, stream_), "a product");
}

}  // namespace espalier
