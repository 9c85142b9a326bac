// Buffer aliasing: values that are stored in the rows of another value. A view is stored in its base. A part of a
// concat is computed directly into the concat; if the part is an input, it is gathered there. A sum of products is
// accumulated in the rows of the first product. Every other value has its own rows.
#pragma once
#include <cstdint>
#include <vector>

#include "cell/program.h"

namespace espalier {

struct Alias {
  int node = -1;  // the node that owns the rows
  uint64_t offset = 0;
};

class BufferAliases {
 public:
  BufferAliases(const Program& program,
                const std::vector<bool>& live);  // live: nodes that outputs or gradients depend on

  Alias of(int node) const;
  // Whether the node is computed directly into the rows of another node.
  bool placed(int node) const { return placed_[static_cast<size_t>(node)]; }
  // Whether the node needs no kernel: a view, a sum that products add to, a concat whose parts are all placed.
  bool silent(int node) const { return silent_[static_cast<size_t>(node)]; }
  // The node to whose rows this product adds; it must be computed first. -1: none.
  int adds_to(int node) const { return adds_to_[static_cast<size_t>(node)]; }

 private:
  void lay_views();
  void lay_sum(int sum);
  void lay_concat(int concat);
  bool is_free(int node) const;
  bool can_be_gathered_into(int concat, int node) const;
  bool is_root(int node) const { return root_[static_cast<size_t>(node)]; }
  bool only_reader_of_its_part(int view, int base) const;
  void put(int node, int inside, uint64_t offset);

  const Program& p_;
  std::vector<int> inside_, adds_to_;
  std::vector<uint64_t> offset_;
  std::vector<bool> placed_, silent_, root_;
  std::vector<std::vector<int>> readers_;  // per node; outside_buffer: an output, gradient row or accumulation
};

}  // namespace espalier
