// KeptStore: kept examples by id and mode, with a memory limit. Thread-safe; the lock is held only to find and to
// exchange pointers.
#pragma once
#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "graph/kept.h"

namespace espalier {

struct KeptRecording {
  KeptExample example;
  std::shared_ptr<const void> result;  // of the user's function, with relative value ids; never null
  size_t bytes;                        // of all
};

class KeptStore {
 public:
  explicit KeptStore(size_t memory_limit) : memory_limit_(memory_limit) {}  // bytes; 0: no limit

  // Null: not kept. Drops all recordings first if a cell reads a parameter whose Parameters were destroyed.
  std::shared_ptr<const KeptRecording> find(uint64_t id, bool train);
  std::shared_ptr<KeptCells> cells() const;  // for examples that are kept from now on
  // Keeps a recording, and evicts the least recently used ones until all fit the memory limit, together with the cells.
  // Does nothing if the recording does not fit, or if forget() was called since cells() returned its cells.
  void keep(uint64_t id, bool train, std::shared_ptr<const KeptRecording> recording);
  void forget();
  void forget(uint64_t id);  // for both modes

  size_t size() const;
  size_t bytes() const;  // including the cells
  uint64_t hits() const;
  uint64_t misses() const;

 private:
  struct Name {
    uint64_t id;
    bool train;
  };
  struct Entry {
    std::shared_ptr<const KeptRecording> recording;
    std::list<Name>::iterator used;
  };
  // Entries by id. Ids are usually positions in a data set: an array needs one memory access, a hash table five.
  class Entries {
   public:
    Entry* find(uint64_t id) {
      if (id < small_.size() && small_[id].recording != nullptr) return &small_[id];
      if (others_.empty()) return nullptr;
      const auto it = others_.find(id);
      return it != others_.end() ? &it->second : nullptr;
    }
    void add(uint64_t id, Entry entry);  // must not exist
    void remove(uint64_t id);            // must exist

   private:
    std::vector<Entry> small_;  // by id; null: none
    size_t count_ = 0;          // in small_
    std::unordered_map<uint64_t, Entry> others_;
  };
  using Removed = std::vector<std::shared_ptr<const KeptRecording>>;
  void move_out(Name name, Removed& to);

  const size_t memory_limit_;
  mutable std::mutex mutex_;
  std::shared_ptr<KeptCells> cells_ = std::make_shared<KeptCells>();
  std::array<Entries, 2> entries_;  // by mode: infer, train
  std::list<Name> used_;            // most recently used first; without a limit, in order of recording
  size_t bytes_ = 0;                // of the entries
  uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace espalier
