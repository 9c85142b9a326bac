// The tape of a cell under definition: ops become nodes of a program.
#pragma once
#include <unordered_map>

#include "cell/builder.h"
#include "graph/tape.h"

namespace espalier {

struct Trace : detail::Tape {
  Trace() : Tape(true), builder(program) {}
  Program program;
  Builder builder;
  bool busy = false;
};

// What Parameters keep for us: the cells made, found by their whole program, and memory that outlives stale Exprs.
struct KnownCells : detail::Keepsake {
  std::unordered_map<std::string, std::weak_ptr<const Program>> by_key;
  std::vector<std::unique_ptr<Trace>> traces;
  size_t most_keys = 64;  // with more, those of cells that are gone are dropped

  static KnownCells& of(detail::ParametersState& root);
  Trace& open();
  static void close(Trace& trace);  // every Expr of it is stale from now on
};

// The forward part of a cell, written into another one. `inputs` are the nodes for its rows; groups[g] is the list that
// its group g becomes. Returns the nodes of its outputs.
std::vector<int> inline_cell(Builder& into, const Program& cell, const std::vector<int>& rows,
                             const std::vector<int>& indices, const std::vector<int>& numbers,
                             const std::vector<int>& groups);

}  // namespace espalier
