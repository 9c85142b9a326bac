// A small thread pool. run(n, f) calls f(0) … f(n-1), one per thread, and returns when all have finished. If the pool
// is busy (called from another thread, or from inside f), the caller does all the work itself. Threads spin before they
// sleep: a minibatch hands over work several times, and waking a thread can take longer than the work.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace espalier {

class Workers {
 public:
  explicit Workers(size_t most = 1) : most_(most) {}
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
  }

  // Calls f(first, last) for consecutive ranges that cover 0 … n - 1, one range of about equal size per thread. f must
  // not throw.
  template <class F>
  void share(size_t n, F&& f) {
    const size_t parts = std::min(most_, n);
    if (parts <= 1) return f(size_t{0}, n);
    auto one = [&](size_t i) { f(n * i / parts, n * (i + 1) / parts); };
    run(parts, std::ref(one));  // std::ref avoids an allocation
  }

  // f must not throw. f(0) runs in the calling thread.
  void run(size_t n, const std::function<void(size_t)>& f) {
    if (busy_.exchange(true, std::memory_order_acquire)) {
      for (size_t i = 0; i < n; ++i) f(i);
      return;
    }
    while (threads_.size() + 1 < n) threads_.emplace_back([this, i = threads_.size() + 1] { serve(i); });
    {
      const std::lock_guard lock(mutex_);
      work_ = &f;
      count_ = n;
      left_ = n > 0 ? n - 1 : 0;
      ++round_;
    }
    wake_.notify_all();
    if (n > 0) f(0);
    if (!soon([&] { return left_ == 0; })) {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [&] { return left_ == 0; });
    }
    busy_.store(false, std::memory_order_release);
  }

 private:
  void serve(size_t number) {
    uint64_t seen = 0;
    while (true) {
      soon([&] { return round_ != seen || stop_; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
      if (number >= count_) continue;  // this run needs fewer threads
      const auto* work = work_;
      lock.unlock();
      (*work)(number);
      if (--left_ > 0) continue;
      lock.lock();  // the caller either has not checked left_ yet or is asleep, so no wakeup is lost
      done_.notify_one();
    }
  }

  // Spins, yielding to other threads, until is_true() or 3 ms have passed; returns whether it became true.
  template <class F>
  static bool soon(F&& is_true) {
    constexpr std::chrono::milliseconds patience{3};
    const auto start = std::chrono::steady_clock::now();
    while (!is_true()) {
      if (std::chrono::steady_clock::now() - start > patience) return false;
      std::this_thread::yield();
    }
    return true;
  }

  size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t)>* work_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> left_ = 0;
  std::atomic<uint64_t> round_ = 0;
  std::atomic<bool> stop_ = false, busy_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace espalier
