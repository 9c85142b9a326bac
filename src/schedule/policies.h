// The scheduling policies, one .cc file each. A policy reads a Round, writes a Draft, and reuses its scratch memory.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/relation.h"
#include "schedule/round.h"

namespace espalier {
struct Schedule;
}

namespace espalier::scheduling {

// depth.cc: one step per (rank, level, cell), in that order.
class Depth {
 public:
  void draft(const Round& round, Draft& out);

 private:
  std::vector<uint32_t> rank_levels_, begin_, by_level_;
  std::vector<uint32_t> cell_key_, cell_step_;
};

// agenda.cc: repeatedly runs all ready calls of one cell: among the cells of the lowest rank with ready calls, the one
// whose remaining calls have the smallest average level. Needs the edges of the round. O(calls + edges + steps · log
// cells).
class Agenda {
 public:
  void draft(const Round& round, Draft& out);

 private:
  struct State {  // per cell
    uint64_t level_sum = 0;
    uint32_t remaining = 0, ready = Round::none;  // ready: head of a linked list
  };
  struct Choice {
    uint32_t rank;
    double average;
    uint32_t cell;
    bool operator<(const Choice& b) const;  // the largest is run first (the top of the heap)
  };
  void make_ready(const Round& round, uint32_t call);

  std::vector<uint32_t> waiting_, next_ready_;  // per call: producers not yet run; next call in the ready list
  std::vector<State> cells_;
  std::vector<Choice> heap_;
};

// components.cc: runs the strongly connected components of the relation "cell feeds cell" one after the other. If every
// component is a single cell, this reaches the lower bound. Inside a component of several cells, uses agenda or depth,
// whichever takes fewer steps.
class Components {
 public:
  // Reads a round and ranks its cells by component. Levels count only edges between calls of the same cell (chains).
  void read(Round& round, const GraphTape& tape, std::span<const uint32_t> pending);
  // The same from listed edges, in two steps.
  void read(Round& round);
  void rank(Round& round);
  // The sum over all cells of their longest chain: a lower bound for the number of steps. Call after read().
  static uint32_t chains(const Round& round);
  static bool one_cell_each(const Round& round) { return round.ranks == round.cells.size(); }
  // Needs ranks, and listed edges unless each component is a single cell.
  void draft(Round& round, Draft& out);
  // Drafts by agenda alone. Needs read() and listed edges. Returns whether the draft is proven optimal. If not, sets
  // each cell's levels to the maximum number of its calls on one path, where that was counted.
  bool draft_by_agenda(Round& round, Draft& out);
  // After draft_by_agenda(): whether the draft is proven optimal inside the component of this rank.
  bool proven(uint32_t rank) const { return proven_[rank]; }

 private:
  void draft_chains(const Round& round, Draft& out);
  void best_of_each(const Round& round, const Draft& a, const Draft& b, Draft& out);
  uint32_t bound(const Round& round, const Draft& draft);
  void count_paths(const Round& round, uint32_t first);

  static constexpr uint32_t lanes = 16;        // cells of a component counted per pass
  static constexpr uint32_t max_counted = 64;  // maximum number of cells counted per component
  using Counts = std::array<uint32_t, lanes>;

  Relation relation_;
  Depth depth_;
  Agenda agenda_;
  std::vector<uint32_t> by_rank_, first_step_, begin_a_, begin_b_;
  Draft by_depth_, by_agenda_;
  std::vector<uint32_t> chains_, steps_, lane_;  // per cell
  std::vector<uint32_t> counted_;                // per rank: the number of cells with a lane
  std::vector<uint8_t> proven_;                  // per rank
  std::vector<Counts> counts_;                   // per call: maximum number of calls of each cell on a path to it
};

// cuts.cc: splits components of several cells. A cut at cell X assigns the calls of a component to stages, by the
// maximum number of calls of X on a path to (or from) the call; inside a stage there is no cycle through X. Calls of
// one cell in different stages then count as calls of different cells, so the component falls into smaller ones, which
// may be cut again.
class Cuts {
 public:
  // Splits the cells of a ranked round with listed edges, where the cut takes no more steps inside a component than
  // agenda and depth. Skips components proven optimal. Returns a lower bound for the number of steps. If any(), the
  // ranks are invalid afterwards. At most O((calls + edges) · candidates · sides · deepest), counting only components
  // of several cells.
  uint32_t split(Round& round, Components& components);
  uint64_t looks() const { return part_.looks; }
  bool any() const { return any_; }
  // Undoes the splits, in the round and in a draft of it.
  void join(Round& round, Draft& draft) const;

 private:
  static constexpr uint32_t candidates = 8;  // cells tried per component
  static constexpr uint32_t deepest = 3;     // maximum nesting of cuts
  static constexpr uint32_t sides = 2;
  // Whether visiting `calls` more calls is worth it to save at most `steps` steps. A step, forward and backward, costs
  // about as much as a hundred visits.
  static bool pays(uint64_t calls, uint32_t steps) { return calls <= uint64_t{steps} * 128; }
  enum Side { to, from };                           // paths to a call, or from it
  using Counts = std::array<uint32_t, candidates>;  // maximum calls of each candidate on a path, including both ends

  struct Component {  // its calls are members_[begin … end)
    uint32_t begin, end;
    uint32_t depth;  // number of enclosing cuts
  };
  struct Cut {
    uint32_t candidate;
    Side side;
  };

  template <class Skips>
  void list_components(const Round& round, uint32_t first_member, uint32_t depth, Skips skips);
  uint32_t choose_candidates();
  void count(Side side);
  bool make(const Cut& cut, uint32_t limit, Components& components);
  uint32_t steps();
  uint32_t uncut_steps(Components& components);
  uint32_t cut(uint32_t bound, Components& components);
  void apply(Round& round, uint32_t first_member);

  bool any_ = false;
  std::vector<Component> work_;
  std::vector<uint32_t> members_, rank_cells_, rank_end_;
  std::vector<uint32_t> origin_;  // per cell of the round: the cell it was split from, or itself

  Round part_;                            // the calls of one component
  std::vector<Round::Cell> whole_cells_;  // its cells before a cut
  std::vector<uint32_t> whole_cell_;      // per call: its cell before a cut
  std::vector<uint32_t> calls_;           // per cell: number of calls
  std::vector<uint32_t> chosen_;          // per candidate: its cell
  std::vector<uint32_t> candidate_;       // per cell: its candidate, or none
  Counts most_;
  std::vector<Counts> counts_[sides];
  bool counted_[sides];
  Depth depth_;
  Agenda agenda_;
  Draft stages_, draft_;
};

// place.cc: turns a draft into a schedule. The calls of a step are ordered by the position of their first pending
// argument, then by recorded order, so that a step mostly reads its arguments in the order they were written.
class Placement {
 public:
  void place(const Round& round, const Draft& draft, std::span<const uint32_t> pending, Schedule& out);

 private:
  struct Link {
    uint32_t step;
    uint32_t next;  // in the list of calls with the same first argument
    uint32_t head;  // of the list of calls whose first argument this call produces
  };
  std::vector<Link> links_;
};

// none.cc: one call per step, in recorded order.
void none(const GraphTape& tape, std::span<const uint32_t> pending, Schedule& out);

}  // namespace espalier::scheduling
