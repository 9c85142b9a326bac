#include "graph/kept_store.h"

#include <utility>

namespace espalier {

std::shared_ptr<const KeptRecording> KeptStore::find(uint64_t id, bool train) {
  std::unique_lock lock(mutex_);
  if (cells_->detached()) {
    lock.unlock();
    forget();
    lock.lock();
  }
  auto& positions = positions_[train ? 1 : 0];
  const auto it = positions.find(id);
  if (it == positions.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, it->second);
  return it->second->recording;
}

std::shared_ptr<KeptCells> KeptStore::cells() const {
  const std::lock_guard lock(mutex_);
  return cells_;
}

// Removed entries are destroyed after the lock is released: their results are the user's objects.
void KeptStore::keep(uint64_t id, bool train, std::shared_ptr<const KeptRecording> recording) {
  Entries removed;
  const std::lock_guard lock(mutex_);
  if (&recording->example.cells() != cells_.get()) return;
  auto& positions = positions_[train ? 1 : 0];
  if (const auto it = positions.find(id); it != positions.end()) move_out(it->second, removed);
  if (const size_t needed = cells_->bytes() + recording->bytes; memory_limit_ > 0) {
    while (!entries_.empty() && needed + bytes_ > memory_limit_) move_out(std::prev(entries_.end()), removed);
    if (needed > memory_limit_) {  // most cells belong to evicted examples, or the limit is too small
      cells_ = std::make_shared<KeptCells>();
      return;
    }
  }
  bytes_ += recording->bytes;
  entries_.push_front({id, train, std::move(recording)});
  positions.emplace(id, entries_.begin());
}

void KeptStore::forget() {
  Entries removed;
  const std::lock_guard lock(mutex_);
  removed.swap(entries_);
  for (auto& positions : positions_) positions.clear();
  bytes_ = 0;
  cells_ = std::make_shared<KeptCells>();
}

void KeptStore::forget(uint64_t id) {
  Entries removed;
  const std::lock_guard lock(mutex_);
  for (auto& positions : positions_)
    if (const auto it = positions.find(id); it != positions.end()) move_out(it->second, removed);
}

void KeptStore::move_out(Entries::iterator entry, Entries& to) {
  bytes_ -= entry->recording->bytes;
  positions_[entry->train ? 1 : 0].erase(entry->id);
  to.splice(to.begin(), entries_, entry);
}

size_t KeptStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}
size_t KeptStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty() ? 0 : bytes_ + cells_->bytes();
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
