// Initial values: a function of (seed, full name), independent of the order of creation.
#include <algorithm>
#include <cmath>

#include <espalier/base/error.h>

#include "base/random.h"
#include "param/parameter_storage.h"

namespace espalier {

namespace init {
Init glorot(float gain) { return {Init::Kind::glorot, gain}; }
Init he() { return {Init::Kind::he}; }
Init orthogonal(float gain) { return {Init::Kind::orthogonal, gain}; }
Init identity(float gain) { return {Init::Kind::identity, gain}; }
Init normal(float mean, float sd) { return {Init::Kind::normal, mean, sd}; }
Init uniform(float lo, float hi) { return {Init::Kind::uniform, lo, hi}; }
Init constant(float value) { return {Init::Kind::constant, value}; }
Init from(std::vector<float> data) { return {Init::Kind::data, 0, 0, std::move(data)}; }
Init tensor(const Tensor& value) { return {Init::Kind::data, 0, 0, value.to_vector(), value.shape()}; }
}  // namespace init

namespace detail {
namespace {

// Gram-Schmidt on a Gaussian matrix (Saxe et al. 2014): orthonormal rows, or columns if there are fewer of them.
void orthogonalise(const ParameterStorage& storage, float gain, uint64_t key, AlignedVector<float>& data) {
  const size_t rows = static_cast<size_t>(storage.shape[0]), cols = storage.row_size();
  const bool wide = rows <= cols;
  const size_t n = wide ? rows : cols, length = wide ? cols : rows;
  std::vector<double> q(n * length);
  for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<double>(gaussian(key, i));
  for (size_t i = 0; i < n; ++i) {
    double* v = &q[i * length];
    for (size_t j = 0; j < i; ++j) {
      const double* u = &q[j * length];
      double dot = 0;
      for (size_t k = 0; k < length; ++k) dot += u[k] * v[k];
      for (size_t k = 0; k < length; ++k) v[k] -= dot * u[k];
    }
    double norm = 0;
    for (size_t k = 0; k < length; ++k) norm += v[k] * v[k];
    for (size_t k = 0; k < length; ++k) v[k] /= std::sqrt(norm);
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < length; ++k)
      data[wide ? i * cols + k : k * cols + i] = gain * static_cast<float>(q[i * length + k]);
}

}  // namespace

bool depends_on_name(const Init& how) {
  return how.kind != Init::Kind::constant && how.kind != Init::Kind::identity && how.kind != Init::Kind::data;
}

void check_init(const ParameterStorage& storage) {
  const Init& how = storage.init;
  if (how.kind == Init::Kind::orthogonal && storage.shape.rank < 2)
    throw ShapeError(str(storage.name) + ": " + str(storage.shape) + " cannot be orthogonal; a matrix is needed");
  if (how.kind == Init::Kind::identity && storage.shape.rank != 2)
    throw ShapeError(str(storage.name) + ": " + str(storage.shape) + " cannot be the identity; a matrix is needed");
  if (how.zero_row >= 0 && (storage.shape.rank == 0 || how.zero_row >= storage.shape[0]))
    throw ShapeError(str(storage.name) + ": " + str(storage.shape) + " has no row " + std::to_string(how.zero_row));
  if (how.kind != Init::Kind::data) return;
  if (how.shape && *how.shape != storage.shape)
    throw ShapeError(str(storage.name) + ": a tensor " + str(*how.shape) + " is given for " + str(storage.shape) +
                     "; the shapes must be equal");
  if (how.data.size() != storage.size())
    throw ShapeError(str(storage.name) + ": " + std::to_string(how.data.size()) + " values are given for " +
                     str(storage.shape) + "; it needs " + std::to_string(storage.size()));
}

void fill(const ParameterStorage& storage, uint64_t key, AlignedVector<float>& data) {
  const Init& how = storage.init;
  const size_t n = storage.size();
  // Fan-in and fan-out of a matrix [out, in]. A vector counts as [out, 1]; a higher rank counts as [out, row size].
  const float in = storage.shape.rank >= 2 ? static_cast<float>(storage.row_size()) : 1.f;
  const float out = storage.shape.rank >= 1 ? static_cast<float>(storage.shape[0]) : 1.f;
  auto draw_uniform = [&](float lo, float hi) {
    for (size_t i = 0; i < n; ++i) data[i] = lo + (hi - lo) * uniform(key, i);
  };
  auto draw_normal = [&](float mean, float sd) {
    for (size_t i = 0; i < n; ++i) data[i] = mean + sd * gaussian(key, i);
  };
  switch (how.kind) {
    case Init::Kind::constant:
      std::fill_n(data.begin(), n, how.a);
      break;
    case Init::Kind::uniform:
      draw_uniform(how.a, how.b);
      break;
    case Init::Kind::normal:
      draw_normal(how.a, how.b);
      break;
    case Init::Kind::glorot: {
      const float r = how.a * std::sqrt(6.f / (in + out));
      draw_uniform(-r, r);
      break;
    }
    case Init::Kind::he:
      draw_normal(0, std::sqrt(2.f / in));
      break;
    case Init::Kind::orthogonal:
      orthogonalise(storage, how.a, key, data);
      break;
    case Init::Kind::identity:
      std::fill_n(data.begin(), n, 0.f);
      for (int i = 0; i < std::min(storage.shape[0], storage.shape[1]); ++i)
        data[static_cast<size_t>(i) * storage.row_size() + static_cast<size_t>(i)] = how.a;
      break;
    case Init::Kind::data:
      std::copy(how.data.begin(), how.data.end(), data.begin());
      break;
  }
  if (how.zero_row >= 0)
    std::fill_n(data.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(how.zero_row) * storage.row_size()),
                storage.row_size(), 0.f);
}

}  // namespace detail
}  // namespace espalier
