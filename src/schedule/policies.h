// The policies, one file each. Each reads a Round, writes a Draft, and keeps its scratch memory for the next round.
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
// the lower bound. Inside one of several cells the fewer steps decide between agenda and depth.
class Components {
 public:
  // Reads a round and ranks its cells by component. Levels count the edges between calls of one cell: its chains.
  void read(Round& round, const GraphTape& tape, std::span<const uint32_t> pending);
  // The same from listed edges, in two parts.
  void read(Round& round);
  void rank(Round& round);
  // The sum over cells of their longest chain, after read(). No order has fewer steps.
  static uint32_t chains(const Round& round);
  static bool one_cell_each(const Round& round) { return round.ranks == round.cells.size(); }
  // Needs the ranks, and the listed edges unless each component is one cell.
  void draft(Round& round, Draft& out);
  // By agenda alone, after read() and with the listed edges. Whether no order has fewer steps; if not, a cell's levels
  // are then the most of its calls on one path, where that was counted.
  bool draft_by_agenda(Round& round, Draft& out);
  // After that: whether nothing can be saved in the component of this rank.
  bool proven(uint32_t rank) const { return proven_[rank]; }

 private:
  void draft_chains(const Round& round, Draft& out);
  void best_of_each(const Round& round, const Draft& a, const Draft& b, Draft& out);
  uint32_t bound(const Round& round, const Draft& draft);
  void count_paths(const Round& round, uint32_t first);

  static constexpr uint32_t lanes = 16;         // cells of a component that are counted in one pass
  static constexpr uint32_t most_counted = 64;  // cells of a component that are counted at all
  using Counts = std::array<uint32_t, lanes>;

  Relation relation_;
  Depth depth_;
  Agenda agenda_;
  std::vector<uint32_t> by_rank_, first_step_, begin_a_, begin_b_;
  Draft by_depth_, by_agenda_;
  std::vector<uint32_t> chains_, steps_, lane_;  // of each cell
  std::vector<uint32_t> counted_;                // of each rank: its cells in lanes
  std::vector<uint8_t> proven_;                  // of each rank
  std::vector<Counts> counts_;                   // of each call: the most calls of each cell on a path to it
};

// cuts.cc: cuts components of several cells. A cut at a cell X puts the calls of a component into stages by the calls
// of X on the way to them, or from them; in a stage no X feeds back. Calls of a cell in different stages then count as
// calls of different cells, so that the component falls into smaller ones, which may be cut again.
class Cuts {
 public:
  // Splits the cells of a ranked round whose edges are listed, where that takes no more steps inside a component than
  // agenda and depth. Returns a number of steps that no order is below. If any(), the ranks are void afterwards.
  // Components that are proven are left as they are.
  // At most O(calls + edges) of the components of several cells, times candidates · sides · deepest.
  uint32_t split(Round& round, Components& components);
  uint64_t looks() const { return part_.looks; }
  bool any() const { return any_; }
  // Takes the splits back, in the round and in a draft of it.
  void join(Round& round, Draft& draft) const;

 private:
  static constexpr uint32_t candidates = 8;  // cells of a component that are tried
  static constexpr uint32_t deepest = 3;     // cuts, one inside the other
  static constexpr uint32_t sides = 2;
  // Whether to look at so many calls more, to save so many steps at best. A step, forward and backward, costs what some
  // hundred looks cost.
  static bool pays(uint64_t calls, uint32_t steps) { return calls <= uint64_t{steps} * 128; }
  enum Side { to, from };                           // paths that lead to a call, or from it
  using Counts = std::array<uint32_t, candidates>;  // the most calls of each candidate on a path; both ends count

  struct Component {  // its calls are members_[begin … end)
    uint32_t begin, end;
    uint32_t depth;  // cuts around it
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
  std::vector<uint32_t> origin_;  // of each cell of the round: the one that was split, or itself

  Round part_;                            // the calls of one component
  std::vector<Round::Cell> whole_cells_;  // its cells before a cut
  std::vector<uint32_t> whole_cell_;      // of each call
  std::vector<uint32_t> calls_;           // of each cell
  std::vector<uint32_t> chosen_;          // the candidates' cells
  std::vector<uint32_t> candidate_;       // of each cell, or none
  Counts most_;
  std::vector<Counts> counts_[sides];
  bool counted_[sides];
  Depth depth_;
  Agenda agenda_;
  Draft stages_, draft_;
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
