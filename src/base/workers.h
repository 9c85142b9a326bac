// A few threads that wait for work. run(n, f) calls f(0) … f(n-1), one per thread, and returns when all have ended. One
// caller at a time.
#pragma once
#include <algorithm>
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

  size_t most() const { return most_; }  // threads that it is meant to use

  // f(first, last) for all of 0 … n - 1, in as many stretches of like size as there are threads. f must not throw.
  template <class F>
  void share(size_t n, F&& f) {
    const size_t parts = std::min(most_, n);
    if (parts <= 1) return f(size_t{0}, n);
    auto one = [&](size_t i) { f(n * i / parts, n * (i + 1) / parts); };
    run(parts, std::ref(one));  // by reference: nothing is allocated
  }

  // f must not throw. f(0) runs in the calling thread.
  void run(size_t n, const std::function<void(size_t)>& f) {
    while (threads_.size() + 1 < n) threads_.emplace_back([this, i = threads_.size() + 1] { serve(i); });
    {
      const std::lock_guard lock(mutex_);
      work_ = &f;
      count_ = n;
      left_ = n > 0 ? n - 1 : 0;
      ++turn_;
    }
    wake_.notify_all();
    if (n > 0) f(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return left_ == 0; });
    work_ = nullptr;
  }

 private:
  void serve(size_t number) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || (turn_ != seen && number < count_ && work_ != nullptr); });
      if (stop_) return;
      seen = turn_;
      const auto* work = work_;
      lock.unlock();
      (*work)(number);
      lock.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }

  size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t)>* work_ = nullptr;
  size_t count_ = 0, left_ = 0;
  uint64_t turn_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace espalier
