// Schedules of random graphs against simple reference implementations that share no code with the policies.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "schedule/recording.h"
#include "schedule/schedule.h"

namespace espalier {
namespace ESPALIER_FILE {

using Values = Recording::Values;

struct Edges {
  std::vector<std::set<uint32_t>> producers;  // per call: the pending calls that it reads
  Edges(const GraphTape& tape, const Values& pending) : producers(tape.calls()) {
    const std::set<uint32_t> set(pending.begin(), pending.end());
    for (const uint32_t c : pending)
      for (size_t j = 0; j < tape.program(c).rows.size(); ++j)
        for (const uint32_t v : tape.row_values(c, j))
          if (set.count(tape.value[v].call)) producers[c].insert(tape.value[v].call);
  }
};

// Longest paths with weight(call) per call.
template <class Weight>
std::map<uint32_t, uint32_t> longest(const Edges& edges, const Values& pending, Weight weight) {
  std::map<uint32_t, uint32_t> path;
  for (const uint32_t c : pending) {
    uint32_t before = 0;
    for (const uint32_t q : edges.producers[c]) before = std::max(before, path[q]);
    path[c] = before + weight(c);
  }
  return path;
}

size_t plain_depth_steps(const GraphTape& tape, const Edges& edges, const Values& pending) {
  std::set<std::pair<uint32_t, uint32_t>> steps;
  for (const auto& [c, depth] : longest(edges, pending, [](uint32_t) { return 1u; }))
    steps.insert({depth, tape.call[c].cell});
  return steps.size();
}

uint32_t plain_bound(const GraphTape& tape, const Edges& edges, const Values& pending) {
  uint32_t sum = 0;
  for (uint32_t cell = 0; cell < tape.cells.size(); ++cell) {
    uint32_t most = 0;
    for (const auto& [c, n] : longest(edges, pending, [&](uint32_t c) { return tape.call[c].cell == cell ? 1u : 0u; }))
      most = std::max(most, n);
    sum += most;
  }
  return sum;
}

// The steps of the agenda policy as sets of calls.
std::vector<std::set<uint32_t>> plain_agenda(const GraphTape& tape, const Edges& edges, const Values& pending) {
  const auto depth = longest(edges, pending, [](uint32_t) { return 1u; });
  std::vector<uint32_t> by_use;  // breaks ties: the cell used first wins
  for (const uint32_t c : pending)
    if (std::find(by_use.begin(), by_use.end(), tape.call[c].cell) == by_use.end()) by_use.push_back(tape.call[c].cell);
  std::set<uint32_t> remaining(pending.begin(), pending.end());
  std::vector<std::set<uint32_t>> steps;
  while (!remaining.empty()) {
    std::set<uint32_t> best;
    uint64_t best_sum = 0, best_count = 0;
    for (const uint32_t cell : by_use) {
      std::set<uint32_t> ready;
      uint64_t sum = 0, count = 0;
      for (const uint32_t c : remaining) {
        if (tape.call[c].cell != cell) continue;
        sum += depth.at(c);
        ++count;
        const auto& producers = edges.producers[c];
        if (std::none_of(producers.begin(), producers.end(), [&](uint32_t q) { return remaining.count(q) != 0; }))
          ready.insert(c);
      }
      if (ready.empty() || (!best.empty() && sum * best_count >= best_sum * count)) continue;
      best = ready;
      best_sum = sum;
      best_count = count;
    }
    for (const uint32_t c : best) remaining.erase(c);
    steps.push_back(best);
  }
  return steps;
}

// Checks that the calls of a step are ordered by their first pending argument, then by recording order; calls without a
// pending argument come first.
void expect_order(const Schedule& s, const GraphTape& tape) {
  std::vector<uint32_t> position(tape.calls(), 0);  // in the schedule, from 1; 0: not pending
  for (uint32_t i = 0; i < s.order.size(); ++i) position[s.order[i]] = i + 1;
  const auto key = [&](uint32_t c) {
    const Program& p = tape.program(c);
    for (const bool in_group : {false, true})
      for (size_t j = 0; j < p.rows.size(); ++j)
        if ((p.rows[j].space != call_space) == in_group)
          for (const uint32_t v : tape.row_values(c, j))
            if (position[tape.value[v].call] != 0) return std::pair(position[tape.value[v].call], c);
    return std::pair(0u, c);
  };
  for (const Step& step : s.steps)
    for (uint32_t i = step.begin + 1; i < step.end; ++i) EXPECT_LT(key(s.order[i - 1]), key(s.order[i]));
}

// A random graph: up to 7 cells of any signature. Arguments are recent values, and the distribution of cells varies, so
// that chains, fans and cycles between cells all occur.
void record(Recording& r, std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  const uint32_t cells = 1 + below(7), calls = 1 + below(60), window = 2 + below(20), mood = below(3);
  r.cell("leaf", 0);
  for (uint32_t c = 0; c < cells; ++c) {
    std::vector<int> groups;
    while (below(4) == 0) groups.push_back(1 + static_cast<int>(below(2)));
    r.cell("cell" + std::to_string(c), static_cast<int>(below(4)), 1 + static_cast<int>(below(2)), groups);
  }
  const auto value = [&] {
    const uint32_t n = r.tape.values();
    return n - 1 - below(std::min(n, window));
  };
  r.call(0);
  for (uint32_t i = 1; i < calls; ++i) {
    const uint32_t cell = mood == 0 ? below(cells + 1) : mood == 1 ? (i * cells / calls) + below(2) : i % (cells + 1);
    const Program& p = *r.tape.cells[cell];
    Values rows, groups;
    std::vector<uint32_t> fields(static_cast<size_t>(p.groups()), 0);
    for (const RowInput& row : p.rows)
      if (row.space == call_space)
        rows.push_back(value());
      else
        ++fields[static_cast<size_t>(row.space) - 1];
    for (const uint32_t f : fields) {
      const uint32_t count = below(5) == 0 ? below(20) : below(4);
      Values items(count * f);
      for (uint32_t& item : items) item = value();
      groups.push_back(r.group(count, items));
    }
    r.call(cell, rows, groups);
  }
}

TEST(ScheduleLaws, HoldOnRandomGraphs) {
  Scheduler warm;  // reused for all graphs
  Schedule schedule, fresh;
  std::map<std::string_view, int> rules;
  int at_the_bound = 0;
  for (uint32_t seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Recording r;
    record(r, random);
    verify(r.tape);
    Values pending = r.all();
    if (seed % 3 == 1) pending.erase(pending.begin(), pending.begin() + random() % pending.size());  // a later round
    if (seed % 3 == 2)                                                                               // some have run
      pending.erase(std::remove_if(pending.begin(), pending.end(), [&](uint32_t) { return random() % 3 == 0; }),
                    pending.end());
    const Edges edges(r.tape, pending);
    std::map<Policy, size_t> count;
    for (const Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
      warm.run(r.tape, pending, policy, schedule);
      ASSERT_NO_THROW(verify(schedule, r.tape, pending)) << name(policy);
      count[policy] = schedule.steps.size();
      Scheduler().run(r.tape, pending, policy, fresh);
      EXPECT_EQ(print(schedule, r.tape), print(fresh, r.tape)) << name(policy);
      if (policy != Policy::none) expect_order(schedule, r.tape);
      if (policy == Policy::automatic) ++rules[schedule.how];
      if (policy != Policy::agenda) continue;
      std::vector<std::set<uint32_t>> sets;
      for (const Step& s : schedule.steps)
        sets.emplace_back(schedule.order.begin() + s.begin, schedule.order.begin() + s.end);
      EXPECT_EQ(sets, plain_agenda(r.tape, edges, pending));
    }
    EXPECT_EQ(count[Policy::none], pending.size());
    EXPECT_EQ(count[Policy::depth], plain_depth_steps(r.tape, edges, pending));
    const uint32_t least = lower_bound(r.tape, pending);
    EXPECT_EQ(least, plain_bound(r.tape, edges, pending));
    EXPECT_LE(least, count[Policy::automatic]);
    EXPECT_LE(count[Policy::automatic], std::min(count[Policy::depth], count[Policy::agenda]));
    at_the_bound += count[Policy::automatic] == least;
  }
  EXPECT_GT(rules["components"], 1000);
  EXPECT_GT(rules["cuts"], 1000);
  EXPECT_GT(rules["agenda"] + rules["depth"], 0);
  EXPECT_GT(at_the_bound, 2800);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
