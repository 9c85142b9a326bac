// Matrix products by cuBLASLt, of f32 factors or, if both are given, of bf16 factors. The algorithm is chosen once per
// class of shapes.
#pragma once
#include <cstdint>
#include <unordered_map>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/device.h"

namespace espalier {

// Row-major matrices: element (i, j) of matrix b is at data + b * apart + i * stride + j.
template <class T>
struct Matrices {
  T* data = nullptr;
  int64_t stride = 0, apart = 0;
};

// c = op(a) op(b) + beta c, for `count` matrices: op(a) is [m,k], op(b) is [k,n], c is [m,n]. A bias of n
// elements is added to each row.
struct Product {
  bool transpose_a = false, transpose_b = false;
  int64_t m = 0, n = 0, k = 0;
  Matrices<const float> a{}, b{};
  float beta = 0;
  Matrices<float> c{};
  int64_t count = 1;
  const float* bias = nullptr;
  const uint16_t *rounded_a = nullptr, *rounded_b = nullptr;  // a and b in bf16, with the same strides; or null
};

class CudaProducts {
 public:
  CudaProducts(CudaDevice& device, Precision precision, cudaStream_t stream);
  CudaProducts(const CudaProducts&) = delete;
  CudaProducts& operator=(const CudaProducts&) = delete;
  ~CudaProducts();

  // m, n and k must not be 0. Enqueued in the stream.
  void multiply(const Product& product);
  // The same for count ≤ 65535; false if cuBLASLt has no algorithm for it.
  bool try_multiply(const Product& product);

 private:
  struct Key {
    // Sizes rounded to half an octave, alignment of pointers and strides, and layout of the matrices.
    uint64_t sizes = 0, layout = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const;
  };
  static Key key_of(const Product& p);
  cublasStatus_t attempt(const Product& p, bool by_class);

  CudaDevice& device_;
  cublasComputeType_t compute_;
  cudaStream_t stream_;
  void* workspace_ = nullptr;
  std::unordered_map<Key, cublasLtMatmulAlgo_t, Hash> chosen_;
};

}  // namespace espalier
