// Rows, losses and times on their way to the host.
#include <algorithm>
#include <mutex>
#include <numeric>

#include "exec/cuda/executor.h"
#include "exec/cuda/rows.h"

namespace espalier {

std::shared_ptr<const PendingRows> CudaExecutor::read_later(std::span<const Range> rows) {
  device_.use();
  upload_.begin();
  const size_t ranges = upload_.put(rows);
  size_t begins = 0, n = 0;
  const std::span<uint64_t> begin = upload_.add<uint64_t>(rows.size(), begins);
  for (size_t i = 0; i < rows.size(); ++i) {
    begin[i] = n;
    n += rows[i].size;
  }
  upload_.send();
  const auto timed = time(Tally::other);
  ++tally.launches[Tally::other];
  cuda_collect(arena_.base(), upload_.at<Range>(ranges), upload_.at<uint64_t>(begins), rows.size(), collected_.need(n),
               stream_.stream);
  return device_.reads->start(collected_.data(), n, stream_.stream);
}

void CudaExecutor::read(std::span<const Range> rows, float* out) { std::ranges::copy(read_later(rows)->get(), out); }

void CudaExecutor::add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) {
  struct LossOfRows final : detail::PendingNumber {
    // Once known, the memory that it came in serves others: a loss may be kept for long.
    mutable std::mutex mutex;
    mutable std::shared_ptr<const PendingRows> numbers;
    mutable double sum = 0;
    double get() const override {
      const std::lock_guard lock(mutex);
      if (numbers != nullptr) {
        const std::span<const float> all = numbers->get();
        sum = std::accumulate(all.begin(), all.end(), 0.0);
        numbers = nullptr;
      }
      return sum;
    }
  };
  single_.clear();
  for (const uint64_t offset : offsets) single_.push_back({offset, 1});
  const auto sum = std::make_shared<LossOfRows>();
  sum->numbers = read_later(single_);
  to.add(sum, factor);
}

void CudaExecutor::wait() {
  device_.use();
  check(cudaStreamSynchronize(stream_.stream), "waiting for the device");
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(memory_.stream())), "waiting for the device");
  times_.resolve(tally);
  memory_.times.resolve(tally);
  tally.launches[Tally::update] += memory_.take_launches();
}

}  // namespace espalier
