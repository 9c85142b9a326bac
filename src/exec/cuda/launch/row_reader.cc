#include "exec/cuda/launch/row_reader.h"

#include <mutex>
#include <numeric>

#include "exec/cuda/launch/rows.h"

namespace espalier {
namespace {

// The sum of elements that are being copied.
class PendingSum final : public detail::PendingNumber {
 public:
  explicit PendingSum(std::shared_ptr<const PendingRows> elements) : elements_(std::move(elements)) {}
  double get() const override {
    const std::lock_guard lock(mutex_);
    if (elements_ != nullptr) {
      const std::span<const float> all = elements_->get();
      sum_ = std::accumulate(all.begin(), all.end(), 0.0);
      elements_ = nullptr;  // returns pinned memory to the pool: a loss may be kept for long
    }
    return sum_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const PendingRows> elements_;
  mutable double sum_ = 0;
};

}  // namespace

std::shared_ptr<const PendingRows> RowReader::read_later(std::span<const Range> rows) {
  resources_.device.use();
  CudaUpload& upload = resources_.upload;
  upload.begin();
  const size_t ranges = upload.put(rows);
  size_t begins = 0, n = 0;
  const std::span<uint64_t> begin = upload.add<uint64_t>(rows.size(), begins);
  for (size_t i = 0; i < rows.size(); ++i) {
    begin[i] = n;
    n += rows[i].size;
  }
  upload.send();
  const auto timed = resources_.time(KernelStats::other);
  ++resources_.stats.launches[KernelStats::other];
  cuda_collect(resources_.arena.base(), upload.at<Range>(ranges), upload.at<uint64_t>(begins), rows.size(),
               collected_.need(n), resources_.stream);
  return resources_.device.reads->start(collected_.data(), n, resources_.stream);
}

void RowReader::add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) {
  elements_.clear();
  for (const uint64_t offset : offsets) elements_.push_back({offset, 1});
  to.add(std::make_shared<PendingSum>(read_later(elements_)), factor);
}

}  // namespace espalier
