// A device for tests, in separate host memory. It counts copies, fills allocations with NaN, and reports pointers
// outside its memory and leaks.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <espalier/base/error.h>
#include "param/gradient_state.h"
#include "tensor/clip.h"
#include "tensor/device_memory.h"
#include "tensor/mirrored_buffer.h"

namespace espalier {

class FakeDevice final : public DeviceMemory {
 public:
  size_t uploads = 0, downloads = 0, allocations = 0;
  void forget() { uploads = downloads = allocations = 0; }
  bool lost = false;  // copies fail

  ~FakeDevice() override { EXPECT_TRUE(lent_.empty()) << lent_.size() << " were not released"; }

  Device device() const override { return Device::cpu(); }

  void* allocate(size_t bytes) override {
    ++allocations;
    auto memory = std::make_unique<char[]>(bytes);
    std::memset(memory.get(), 0xff, bytes);  // NaN as float, -1 as int
    void* at = memory.get();
    lent_[at] = {std::move(memory), bytes};
    return at;
  }
  void release(void* memory, size_t bytes) noexcept override {
    const auto it = lent_.find(memory);
    ASSERT_TRUE(it != lent_.end() && it->second.size == bytes);
    lent_.erase(it);
  }

  void upload(const void* from, size_t bytes, void* to) override {
    ++uploads;
    if (lost) throw DeviceError("fake: lost");
    need(to, bytes);
    std::memcpy(to, from, bytes);
  }
  void download(const void* from, size_t bytes, void* to) override {
    ++downloads;
    if (lost) throw DeviceError("fake: lost");
    need(from, bytes);
    std::memcpy(to, from, bytes);
  }

  void copy(const float* from, size_t n, float* to) override {
    need(from, n * sizeof *from);
    need(to, n * sizeof *to);
    std::copy_n(from, n, to);
  }
  void fill(float* to, size_t n, float value) override {
    need(to, n * sizeof *to);
    std::fill_n(to, n, value);
  }
  void add(std::span<const Sum> sums) override {
    for (const Sum& s : sums) {
      need(s.to, s.n * sizeof *s.to);
      need(s.from, s.n * sizeof *s.from);
      for (size_t i = 0; i < s.n; ++i) s.to[i] += s.from[i];
    }
  }
  void scale(std::span<const std::span<float>> all, float factor) override {
    for (const auto& one : all) {
      need(one.data(), one.size_bytes());
      for (float& x : one) x *= factor;
    }
  }
  void sum_of_squares(std::span<const std::span<const float>> all, double* sum) override {
    need(sum, sizeof *sum);
    *sum = 0;
    for (const auto& one : all) {
      need(one.data(), one.size_bytes());
      for (float x : one) *sum += double(x) * double(x);
    }
  }
  void clip_norm(std::span<const std::span<float>> all, float limit) override {
    const DeviceArray<double> squares(*this, 1);
    const std::vector<std::span<const float>> read(all.begin(), all.end());
    sum_of_squares(read, squares.data());
    scale(all, clip_factor(*squares.data(), limit));
  }
  void add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to) override {
    need(from, n * width * sizeof *from);
    need(rows, n * sizeof *rows);
    for (size_t i = 0; i < n; ++i) {
      float* row = to + static_cast<size_t>(rows[i]) * width;
      need(row, width * sizeof *row);
      for (size_t k = 0; k < width; ++k) row[k] += from[i * width + k];
    }
  }
  void merge_rows(const float* a, const float* b, std::span<const RowPair> pairs, size_t width, float* to) override {
    need(to, pairs.size() * width * sizeof *to);
    auto of = [&](const float* table, int32_t row, size_t k) {
      const float* x = table + static_cast<size_t>(row) * width + k;
      need(x, sizeof *x);
      return *x;
    };
    for (size_t i = 0; i < pairs.size(); ++i)
      for (size_t k = 0; k < width; ++k)
        to[i * width + k] = (pairs[i].a < 0 ? 0 : of(a, pairs[i].a, k)) + (pairs[i].b < 0 ? 0 : of(b, pairs[i].b, k));
  }

  // Checks that a range lies inside an allocation.
  void need(const void* at, size_t bytes) const {
    if (bytes == 0) return;
    auto it = lent_.upper_bound(at);
    ASSERT_TRUE(it != lent_.begin()) << "not in this memory";
    --it;
    const auto* first = static_cast<const char*>(it->first);
    const auto* wanted = static_cast<const char*>(at);
    ASSERT_LE(wanted + bytes, first + it->second.size) << "not in this memory";
  }

 private:
  struct Lent {
    std::unique_ptr<char[]> memory;
    size_t size = 0;
  };
  std::map<const void*, Lent> lent_;
};

// Moves gradients to a device as if they had been computed there: the host copies are stale.
inline void put_on(DeviceMemory& device, detail::GradientState& gradients) {
  for (size_t i = 0; i < gradients.used; ++i) {
    const auto values = gradients.entries[i].values.host();
    MirroredFloats there;
    device.upload(values.data(), values.size() * sizeof(float), there.renew_on(device, values.size()));
    gradients.entries[i].values = std::move(there);
  }
}

}  // namespace espalier
