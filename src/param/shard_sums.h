// Adds the gradients of many shards at once: every thread sums some of the elements over all shards. The order of
// additions is that of adding one shard after the other, so the bits are the same.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "param/gradient_state.h"

namespace espalier::detail {

class ShardSums {
 public:
  // to += shards, in their order; multi-threaded if `to` has workers. Does not allocate for repeating sizes.
  void add(GradientState& to, std::span<const std::shared_ptr<GradientState>> shards);

 private:
  // Rows of a sparse entry, or a dense entry (without rows).
  struct Source {
    std::span<const int32_t> rows;
    const float* values = nullptr;
  };
  // The sum of one parameter. Its sources are sources_[first_source] to sources_[last_source - 1].
  struct Sum {
    float* to = nullptr;
    size_t first_source = 0, last_source = 0;
    bool sparse = false;
    size_t width = 0;               // sparse: elements of a row
    std::span<const int32_t> rows;  // sparse: of the sum
    size_t first_writer = 0;        // sparse: writers_[first_writer + i] is the first source with row i
  };
  // Elements or rows of a sum, for one thread.
  struct Part {
    size_t sum = 0, first = 0, last = 0;
  };

  void clear();
  void plan(GradientEntry& entry, std::span<const std::shared_ptr<GradientState>> shards);
  void plan_sparse(GradientEntry& entry, Sum& sum);
  void unite(const Sum& sum, size_t limit, AlignedVector<int32_t>& rows);
  void find_writers(const Sum& sum);
  void add(const Part& part) const;
  void add_dense(const Sum& sum, size_t first, size_t last) const;
  void add_rows(const Sum& sum, size_t first, size_t last) const;

  std::vector<Source> sources_;
  std::vector<Sum> sums_;
  std::vector<Part> parts_;
  std::vector<uint32_t> writers_;
  std::vector<uint64_t> is_in_;  // a bit per row of a table
};

}  // namespace espalier::detail
