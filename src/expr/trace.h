// Trace: the tape of a cell being traced. Ops become nodes of its program.
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

// An opaque cache owned by Parameters: the compiled cells, keyed by their whole program, and reusable traces.
struct KnownCells : detail::OpaqueCache {
  std::unordered_map<std::string, std::weak_ptr<const Program>> by_key;
  std::vector<std::unique_ptr<Trace>> traces;
  size_t max_keys = 64;  // above this, keys of destroyed cells are dropped

  static KnownCells& of(detail::ParametersState& root);
  Trace& open();
  static void close(Trace& trace);  // makes all its Exprs stale
};

// Inlines the forward nodes of a cell into another one. `rows`, `indices` and `numbers` are the nodes of its arguments;
// groups[g] is the group of the outer cell that its group g becomes. Returns the nodes of its outputs.
std::vector<int> inline_cell(Builder& into, const Program& cell, const std::vector<int>& rows,
                             const std::vector<int>& indices, const std::vector<int>& numbers,
                             const std::vector<int>& groups);

}  // namespace espalier
