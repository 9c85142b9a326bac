#include "schedule/schedule.h"

namespace espalier::scheduling {

void Placement::place(const Round& round, const Draft& draft, std::span<const uint32_t> pending, Schedule& out) {
  const uint32_t n = round.n;
  for (const uint32_t c : draft.cells) out.steps.push_back({round.cells[c].number, 0, 0});
  if (n == 0) return;

  // Linked lists of calls with the same first argument, in recorded order; `leaves` lists the calls without arguments.
  grow(links_, n);
  for (uint32_t p = 0; p < n; ++p) links_[p].head = Round::none;
  uint32_t leaves = Round::none;
  for (uint32_t p = n; p-- > 0;) {
    const uint32_t step = draft.step[p];
    uint32_t& head = round.first[p] == Round::none ? leaves : links_[round.first[p]].head;
    links_[p].step = step;
    links_[p].next = head;
    head = p;
    ++out.steps[step].end;
  }
  uint32_t begin = 0;
  for (Step& step : out.steps) {
    step.begin = begin;
    begin += step.end;
    step.end = step.begin;
  }

  // A call is appended to its step when the loop reaches its first argument. Its step always comes later.
  out.order.resize(n);
  const auto place_list = [&](uint32_t head) {
    for (uint32_t p = head; p != Round::none; p = links_[p].next) out.order[out.steps[links_[p].step].end++] = p;
  };
  place_list(leaves);
  for (uint32_t& call : out.order) {
    const uint32_t p = call;
    call = pending[p];
    place_list(links_[p].head);
  }
}

}  // namespace espalier::scheduling
