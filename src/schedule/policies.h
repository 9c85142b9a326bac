// The policies, one file each. Each reads a Round, writes a Draft, and keeps its scratch memory for the next round.
#pragma once
#include <string_view>

#include "schedule/relation.h"
#include "schedule/round.h"

namespace espalier {
struct Schedule;
}

namespace espalier::scheduling {

// depth.cc: a step for each (rank, level, cell), in that order.
class Depth {
 public:
  void draft(const Round& round, Draft& out);

 private:
  std::vector<uint32_t> rank_levels_, begin_, by_level_;
  std::vector<uint32_t> cell_key_, cell_step_;
};

// agenda.cc: of the cells of the lowest rank that have ready calls, take the one whose remaining calls have the
// smallest average level, and run all its ready calls. Needs the edges of the round. O(calls + edges + steps · log
// cells).
class Agenda {
 public:
  void draft(const Round& round, Draft& out);

 private:
  struct State {  // of a cell
    uint64_t level_sum = 0;
    uint32_t remaining = 0, ready = Round::none;  // ready: the first of a list
  };
  struct Choice {
    uint32_t rank;
    double average;
    uint32_t cell;
    bool operator<(const Choice& b) const;  // a heap's top is the largest: the one to run first
  };
  void make_ready(const Round& round, uint32_t call);

  std::vector<uint32_t> waiting_, next_ready_;  // of each call: producers that have not run; the list's next
  std::vector<State> cells_;
  std::vector<Choice> heap_;
};

// components.cc: the components of the relation «cell feeds cell», one after the other. Where each is one cell, this is
// the lower bound. Else inside each component, and then for all, the fewest steps decide between depth and agenda.
class Components {
 public:
  // Returns the rule that was best: "components", "agenda" or "depth".
  std::string_view draft(Round& round, const GraphTape& tape, std::span<const uint32_t> pending, Depth& depth,
                         Agenda& agenda, Draft& out);

 private:
  void one_cell_each(const Round& round, Draft& out);
  void best_of_each(const Round& round, const Draft& a, const Draft& b, Draft& out);

  Relation relation_;
  std::vector<uint32_t> by_rank_, first_step_, begin_a_, begin_b_;
  Draft by_depth_, by_agenda_;
};

// place.cc: from a draft to a schedule. The calls of a step are ordered by where their first pending argument stands,
// then as recorded, so that a step mostly reads its arguments in the order in which they were written.
class Placement {
 public:
  void place(const Round& round, const Draft& draft, std::span<const uint32_t> pending, Schedule& out);

 private:
  struct Link {
    uint32_t step;
    uint32_t next, head;  // of the list of calls with the same first argument; of the list of those it is first of
  };
  std::vector<Link> links_;
};

// none.cc: one call a step, as recorded.
void none(const GraphTape& tape, std::span<const uint32_t> pending, Schedule& out);

}  // namespace espalier::scheduling
