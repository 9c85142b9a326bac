// Whose rows a value lives in. A view lies in what it looks at; a part of a concat is computed, or if it is an input
// gathered, where the concat wants it; a sum of products is added up in the rows of the first. Everything else has rows
// of its own.
#pragma once
#include <cstdint>
#include <vector>

#include "cell/program.h"

namespace espalier {

struct Home {
  int node = -1;  // which has rows of its own
  uint64_t offset = 0;
};

class Homes {
 public:
  Homes(const Program& program, const std::vector<bool>& live);  // live: what outputs or gradients need

  Home of(int node) const;
  // Computed straight into the rows of another node.
  bool placed(int node) const { return placed_[static_cast<size_t>(node)]; }
  // No kernel of its own: views, sums that products add to, concats whose parts are all placed.
  bool silent(int node) const { return silent_[static_cast<size_t>(node)]; }
  // A product that adds to what is there already, namely to this node, which must be there before; -1: none.
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
  std::vector<std::vector<int>> readers_;  // `outside` for outputs, gradient rows, accumulations
};

}  // namespace espalier
