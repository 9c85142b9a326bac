// Strands: what of one example can go on by itself. A strand is a stack of coroutines, each awaited by the one below,
// and a loop resumes the topmost: no coroutine resumes another, so the C++ stack does not grow with them, at any level
// of optimisation. An example begins with one strand, and all(tasks) adds more.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <espalier/task/promise.h>
#include "graph/tape.h"

namespace espalier::detail {

struct Strand {
  Strands::State* example = nullptr;
  Strand* parent = nullptr;                     // that waits for it
  Strand *older = nullptr, *younger = nullptr;  // its siblings that have not ended
  Strand* youngest = nullptr;                   // of the children that it waits for
  GraphTape::Turn turn;
  std::vector<Promise*> stack;
  std::vector<Wanted> wanted;  // values that it waits for
  bool stopped = false;        // it waits, for values or children
  bool ended = false;
};

struct Strands::State {
  GraphTape& tape;
  std::vector<std::unique_ptr<Strand>> strands;  // as they were made: a parent before its children
  std::vector<std::unique_ptr<Strand>> spare;
  size_t ended = 0;  // of them
  Strand* root = nullptr;
  std::vector<Strand*> ready;  // from `next` on; one that was cancelled may be among them
  size_t next = 0;

  explicit State(GraphTape& of) : tape(of) {}

  Strand& add(Promise& first, Strand* parent, const GraphTape::Turn& turn);
  void run_ready();
  void run(Strand& strand);
  void end(Strand& strand);
  void cancel_after(const Strand& failed);
  void put_ended_aside();
};

}  // namespace espalier::detail
