#include "graph/kept_store.h"

#include <algorithm>
#include <utility>

namespace espalier {

void KeptStore::Entries::add(uint64_t id, Entry entry) {
  // At most a few entries of the array are unused, so that it does not need much more memory than the recordings.
  if (id >= small_.size() && id < 4 * count_ + 1024) small_.resize(std::max<size_t>(id + 1, 2 * count_));
  if (id < small_.size()) {
    small_[id] = std::move(entry);
    ++count_;
  } else {
    others_.emplace(id, std::move(entry));
  }
}

void KeptStore::Entries::remove(uint64_t id) {
  if (others_.erase(id) > 0) return;
  small_[id] = {};
  --count_;
}

std::shared_ptr<const KeptRecording> KeptStore::find(uint64_t id, bool train) {
  std::unique_lock lock(mutex_);
  if (cells_->detached()) {
    lock.unlock();
    forget();
    lock.lock();
  }
  const Entry* const entry = entries_[train ? 1 : 0].find(id);
  if (entry == nullptr) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  if (memory_limit_ > 0) used_.splice(used_.begin(), used_, entry->used);
  return entry->recording;
}

std::shared_ptr<KeptCells> KeptStore::cells() const {
  const std::lock_guard lock(mutex_);
  return cells_;
}

// Removed entries are destroyed after the lock is released: their results are the user's objects.
void KeptStore::keep(uint64_t id, bool train, std::shared_ptr<const KeptRecording> recording) {
  Removed removed;
  const std::lock_guard lock(mutex_);
  if (&recording->example.cells() != cells_.get()) return;
  if (entries_[train ? 1 : 0].find(id) != nullptr) move_out({id, train}, removed);
  if (const size_t needed = cells_->bytes() + recording->bytes; memory_limit_ > 0) {
    while (!used_.empty() && needed + bytes_ > memory_limit_) move_out(used_.back(), removed);
    if (needed > memory_limit_) {  // most cells belong to evicted examples, or the limit is too small
      cells_ = std::make_shared<KeptCells>();
      return;
    }
  }
  bytes_ += recording->bytes;
  used_.push_front({id, train});
  entries_[train ? 1 : 0].add(id, {std::move(recording), used_.begin()});
}

void KeptStore::forget() {
  std::array<Entries, 2> removed;
  const std::lock_guard lock(mutex_);
  removed.swap(entries_);
  used_.clear();
  bytes_ = 0;
  cells_ = std::make_shared<KeptCells>();
}

void KeptStore::forget(uint64_t id) {
  Removed removed;
  const std::lock_guard lock(mutex_);
  for (const bool train : {false, true})
    if (entries_[train ? 1 : 0].find(id) != nullptr) move_out({id, train}, removed);
}

void KeptStore::move_out(Name name, Removed& to) {
  Entry& entry = *entries_[name.train ? 1 : 0].find(name.id);
  bytes_ -= entry.recording->bytes;
  used_.erase(entry.used);
  to.push_back(std::move(entry.recording));
  entries_[name.train ? 1 : 0].remove(name.id);
}

size_t KeptStore::size() const {
  const std::lock_guard lock(mutex_);
  return used_.size();
}
size_t KeptStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return used_.empty() ? 0 : bytes_ + cells_->bytes();
}
uint64_t KeptStore::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}
uint64_t KeptStore::misses() const {
  const std::lock_guard lock(mutex_);
  return misses_;
}

}  // namespace espalier
