#include "exec/cuda/memory/reads.h"

#include <algorithm>

namespace espalier {

class CudaReads::Read final : public PendingRows {
 public:
  Read(std::shared_ptr<CudaReads> from, std::unique_ptr<Place> place, size_t n)
      : from_(std::move(from)), place_(std::move(place)), n_(n) {}
  ~Read() override {
    const std::lock_guard lock(from_->mutex_);
    from_->free_.push_back(std::move(place_));
  }
  std::span<const float> get() const override {
    place_->copied.wait();
    return {reinterpret_cast<const float*>(place_->memory.data()), n_};
  }

 private:
  std::shared_ptr<CudaReads> from_;
  std::unique_ptr<Place> place_;
  size_t n_;
};

std::shared_ptr<const PendingRows> CudaReads::start(const float* from, size_t n, cudaStream_t stream) {
  std::unique_ptr<Place> place;
  {
    const std::lock_guard lock(mutex_);
    const auto it = std::ranges::find_if(free_, [](const auto& p) { return p->copied.over(); });
    if (it != free_.end()) {
      place = std::move(*it);
      free_.erase(it);
    }
  }
  if (place == nullptr) place = std::make_unique<Place>();
  std::byte* to = place->memory.need(n * sizeof(float));
  if (n > 0) check(cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDeviceToHost, stream), "reading rows");
  place->copied.record(stream);
  return std::make_shared<Read>(shared_from_this(), std::move(place), n);
}

}  // namespace espalier
