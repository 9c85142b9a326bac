// Schedules of hand-built tapes: structures from the literature, and large sizes.
#include "schedule/schedule.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "schedule/recording.h"

namespace espalier {
namespace ESPALIER_FILE {

using Values = Recording::Values;
constexpr Policy policies[] = {Policy::none, Policy::depth, Policy::agenda, Policy::automatic};

Schedule run(const GraphTape& tape, std::span<const uint32_t> pending, Policy policy) {
  Scheduler scheduler;
  Schedule schedule;
  scheduler.run(tape, pending, policy, schedule);
  verify(schedule, tape, pending);
  return schedule;
}
size_t steps(const Recording& r, Policy policy) { return run(r.tape, r.all(), policy).steps.size(); }
uint32_t bound(const Recording& r) { return lower_bound(r.tape, r.all()); }

TEST(Policy, HasAName) {
  EXPECT_EQ(name(Policy::none), "none");
  EXPECT_EQ(name(Policy::depth), "depth");
  EXPECT_EQ(name(Policy::agenda), "agenda");
  EXPECT_EQ(name(Policy::automatic), "auto");
}

TEST(Schedule, OfNothingIsEmpty) {
  Recording r;
  for (const Policy policy : policies) EXPECT_EQ(steps(r, policy), 0u);
  EXPECT_EQ(bound(r), 0u);
  r.call(r.cell("leaf", 0));
  for (const Policy policy : policies) EXPECT_TRUE(run(r.tape, {}, policy).order.empty());
}

// ---- structures from the literature

TEST(Schedule, ChainsRunSideBySide) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), loss = r.cell("loss", 1);
  const Lstm lstm(r, "lstm");
  for (const size_t length : {3u, 7u, 5u}) {
    Values xs;
    for (size_t i = 0; i < length; ++i) xs.push_back(r.call(embed));
    r.call(loss, {lstm.run(r, xs).back()});
  }
  EXPECT_EQ(steps(r, Policy::none), 15u + 3 + 15 + 3);
  EXPECT_EQ(steps(r, Policy::automatic), 1u + 1 + 7 + 1);
  EXPECT_EQ(bound(r), 10u);
}

struct TreeLstm {
  Recording r;
  uint32_t leaf = r.cell("leaf", 0, 2), node = r.cell("node", 4, 2), loss = r.cell("loss", 1);
  bool losses = true;  // at every node

  uint32_t tree(uint32_t leaves, std::mt19937& random) {
    struct Open {
      uint32_t leaves;
      bool split;
    };
    std::vector<Open> open{{leaves, true}};
    Values done;
    while (!open.empty()) {
      const Open top = open.back();
      open.pop_back();
      if (top.split && top.leaves > 1) {
        const uint32_t left = 1 + static_cast<uint32_t>(random()) % (top.leaves - 1);
        open.push_back({top.leaves, false});
        open.push_back({top.leaves - left, true});
        open.push_back({left, true});
        continue;
      }
      uint32_t value;
      if (top.leaves == 1) {
        value = r.call(leaf);
      } else {
        const uint32_t b = done.back(), a = done[done.size() - 2];
        done.resize(done.size() - 2);
        value = r.call(node, {a, a + 1, b, b + 1});
      }
      if (losses) r.call(loss, {value});
      done.push_back(value);
    }
    return done.back();
  }
};

TEST(Schedule, OfOneTreeReadsWell) {
  TreeLstm t;
  Recording& r = t.r;
  const uint32_t a = r.call(t.leaf), b = r.call(t.leaf), ab = r.call(t.node, {a, a + 1, b, b + 1}), c = r.call(t.leaf);
  const uint32_t top = r.call(t.node, {ab, ab + 1, c, c + 1});
  for (const uint32_t v : {top, a, c, ab, b}) r.call(t.loss, {v});
  EXPECT_EQ(print(run(r.tape, r.all(), Policy::automatic), r.tape),
            "schedule 4 steps, 10 calls (components)\n"
            "  0 leaf × 3: 0 1 3\n"
            "  1 node × 1: 2\n"
            "  2 node × 1: 4\n"
            "  3 loss × 5: 6 9 7 8 5\n");  // in the order of their arguments: a b c ab top
  EXPECT_EQ(print(run(r.tape, r.all(), Policy::depth), r.tape),
            "schedule 6 steps, 10 calls (depth)\n"
            "  0 leaf × 3: 0 1 3\n"
            "  1 node × 1: 2\n"
            "  2 loss × 3: 6 9 7\n"
            "  3 node × 1: 4\n"
            "  4 loss × 1: 8\n"
            "  5 loss × 1: 5\n");
  EXPECT_EQ(print(run(r.tape, Values{0, 1, 2, 3}, Policy::none), r.tape),
            "schedule 4 steps, 4 calls (none)\n"
            "  0 leaf × 1: 0\n"
            "  1 leaf × 1: 1\n"
            "  2 node × 1: 2\n"
            "  3 leaf × 1: 3\n");
  const Values later{5, 6, 7, 8, 9};
  EXPECT_EQ(print(run(r.tape, later, Policy::agenda), r.tape),
            "schedule 1 step, 5 calls (agenda)\n  0 loss × 5: 5…9\n");
}

TEST(Schedule, TreeLstmWithALossAtEveryNode) {
  std::mt19937 random(1);
  TreeLstm t;
  for (int i = 0; i < 64; ++i) t.tree(2 + static_cast<uint32_t>(random()) % 50, random);
  const size_t chain = t.r.height() - 1;  // nodes on the longest path
  EXPECT_EQ(bound(t.r), 1 + chain + 1);
  EXPECT_EQ(steps(t.r, Policy::automatic), bound(t.r));
  EXPECT_EQ(steps(t.r, Policy::depth), 1 + 2 * chain + 1);  // losses and nodes alternate at every depth
  EXPECT_GT(steps(t.r, Policy::agenda), bound(t.r));
  EXPECT_EQ(run(t.r.tape, t.r.all(), Policy::automatic).how, "components");
}

TEST(Schedule, ChildSumTreesOfAnyArity) {
  Recording r;
  const uint32_t node = r.cell("node", 1, 2, {2}), embed = r.cell("embed", 0);
  std::mt19937 random(2);
  uint32_t height = 0;
  for (int tree = 0; tree < 20; ++tree) {
    std::vector<std::pair<uint32_t, uint32_t>> roots;  // value, height
    for (int i = 0; i < 30; ++i) {
      const uint32_t children = std::min<uint32_t>(static_cast<uint32_t>(random()) % 14, roots.size());
      Values items(2 * children);
      uint32_t h = 0;
      for (uint32_t k = 0; k < children; ++k) {
        items[k] = roots.back().first;
        items[children + k] = roots.back().first + 1;
        h = std::max(h, roots.back().second + 1);
        roots.pop_back();
      }
      roots.insert(roots.begin(), {r.call(node, {r.call(embed)}, {r.group(children, items)}), h});
      height = std::max(height, h);
    }
  }
  EXPECT_EQ(steps(r, Policy::automatic), 1 + height + 1);
  EXPECT_EQ(bound(r), 1 + height + 1);
}

TEST(Schedule, BiLstmTagger) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), tag = r.cell("tag", 2);
  const Lstm forwards(r, "forwards"), backwards(r, "backwards");
  for (const size_t length : {4u, 9u, 2u}) {
    Values xs;
    for (size_t i = 0; i < length; ++i) xs.push_back(r.call(embed));
    const Values f = forwards.run(r, xs), b = backwards.run(r, xs, true);
    for (size_t i = 0; i < length; ++i) r.call(tag, {f[i], b[i]});
  }
  EXPECT_EQ(bound(r), 1u + 1 + 9 + 1 + 9 + 1);
  EXPECT_EQ(steps(r, Policy::automatic), bound(r));
  EXPECT_GT(steps(r, Policy::depth), bound(r));
}

TEST(Schedule, CharacterTagger) {
  Recording r;
  const uint32_t letter = r.cell("letter", 0), embed = r.cell("embed", 0), word = r.cell("word", 2),
                 tag = r.cell("tag", 2);
  const Lstm spell(r, "spell"), unspell(r, "unspell"), forwards(r, "forwards"), backwards(r, "backwards");
  std::mt19937 random(3);
  size_t longest_word = 0, longest_sentence = 0;
  for (int sentence = 0; sentence < 16; ++sentence) {
    const size_t words = 1 + random() % 12;
    longest_sentence = std::max(longest_sentence, words);
    Values xs;
    for (size_t w = 0; w < words; ++w) {
      if (random() % 3 != 0) {  // rare words are spelt
        xs.push_back(r.call(embed));
        continue;
      }
      Values letters;
      for (size_t i = 0, n = 1 + random() % 9; i < n; ++i) letters.push_back(r.call(letter));
      longest_word = std::max(longest_word, letters.size());
      xs.push_back(r.call(word, {spell.run(r, letters).back(), unspell.run(r, letters, true).front()}));
    }
    const Values f = forwards.run(r, xs), b = backwards.run(r, xs, true);
    for (size_t i = 0; i < words; ++i) r.call(tag, {f[i], b[i]});
  }
  EXPECT_EQ(bound(r), 4 + 4 + 2 * longest_word + 2 * longest_sentence);
  EXPECT_EQ(steps(r, Policy::automatic), bound(r));
}

TEST(Schedule, AttentionReadsOneGroupManyTimes) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), attend = r.cell("attend", 1, 1, {1}), out = r.cell("out", 1);
  const Lstm decoder(r, "decoder");
  for (const uint32_t length : {20u, 3u}) {
    Values keys;
    for (uint32_t i = 0; i < length; ++i) keys.push_back(r.call(embed));
    const uint32_t group = r.group(length, keys);
    uint32_t h = r.call(decoder.start);
    for (int i = 0; i < 6; ++i) {
      const uint32_t context = r.call(attend, {h}, {group});
      h = r.call(decoder.cell, {context, h, h + 1});
      r.call(out, {h});
    }
  }
  EXPECT_EQ(bound(r), 1u + 1 + 6 + 6 + 1);  // attend and decoder are one component
  EXPECT_EQ(steps(r, Policy::automatic), bound(r));
}

TEST(Schedule, LargeGroupsCountForEachCellThatReadsThem) {
  Recording r;
  const uint32_t leaf = r.cell("leaf", 0), a = r.cell("a", 0, 1, {1}), b = r.cell("b", 1, 1, {1});
  Values items;
  for (int i = 0; i < 12; ++i) items.push_back(r.call(leaf));
  items.push_back(r.call(a, {}, {r.group(12, items)}));
  const uint32_t group = r.group(13, items);
  const uint32_t deep = r.call(a, {}, {group});
  r.call(a, {}, {group});
  r.call(b, {deep}, {group});
  r.call(b, {items[3]}, {group});
  EXPECT_EQ(print(run(r.tape, r.all(), Policy::automatic), r.tape),
            "schedule 4 steps, 17 calls (components)\n"
            "  0 leaf × 12: 0…11\n"
            "  1 a × 1: 12\n"
            "  2 a × 2: 13 14\n"
            "  3 b × 2: 16 15\n");
}

// ---- cells that feed each other

TEST(Schedule, TwoCellsThatAlternateAreOneComponent) {
  Recording r;
  const uint32_t leaf = r.cell("leaf", 0), a = r.cell("a", 1), b = r.cell("b", 1), end = r.cell("end", 1);
  for (const int length : {5, 8}) {
    uint32_t v = r.call(leaf);
    for (int i = 0; i < length; ++i) r.call(end, {v = r.call(b, {r.call(a, {v})})});
  }
  EXPECT_EQ(bound(r), 1u + 8 + 8 + 1);
  EXPECT_EQ(steps(r, Policy::automatic), bound(r));
  EXPECT_EQ(run(r.tape, r.all(), Policy::automatic).how, "components") << "agenda is at the bound: nothing is cut";
}

// Trees of unary and binary nodes, which feed each other irregularly.
TEST(Schedule, InsideAComponentTheBetterRuleDecides) {
  std::set<std::string_view> rules;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Recording r;
    const uint32_t leaf = r.cell("leaf", 0), unary = r.cell("unary", 1), binary = r.cell("binary", 2);
    for (int tree = 0; tree < 4; ++tree) {
      Values roots;
      for (int i = 0; i < 10; ++i) roots.push_back(r.call(leaf));
      while (roots.size() > 1) {
        std::swap(roots[random() % roots.size()], roots.back());
        const uint32_t x = roots.back();
        roots.pop_back();
        std::swap(roots[random() % roots.size()], roots.back());
        if (random() % 3 == 0)
          roots.push_back(r.call(unary, {x}));
        else
          roots.back() = r.call(binary, {roots.back(), x});
      }
    }
    const size_t best = steps(r, Policy::automatic);
    EXPECT_LE(bound(r), best);
    EXPECT_LE(best, std::min(steps(r, Policy::depth), steps(r, Policy::agenda)));
    rules.insert(run(r.tape, r.all(), Policy::automatic).how);
  }
  EXPECT_TRUE(rules.count("components"));
  EXPECT_TRUE(rules.count("cuts"));
}

// ---- sizes

TEST(Schedule, OfALongChain) {
  Recording r;
  const uint32_t leaf = r.cell("leaf", 0), a = r.cell("a", 1), b = r.cell("b", 1);
  uint32_t v = r.call(leaf);
  for (int i = 0; i < 100'000; ++i) v = r.call(a, {v});
  for (const Policy policy : policies) EXPECT_EQ(steps(r, policy), 100'001u) << name(policy);
  EXPECT_EQ(bound(r), 100'001u);
  for (int i = 0; i < 50'000; ++i) v = r.call(a, {r.call(b, {v})});
  for (const Policy policy : policies) EXPECT_EQ(steps(r, policy), 200'001u) << name(policy);
  EXPECT_EQ(bound(r), 200'001u);
}

TEST(Schedule, OfAChainOfManyCells) {
  Recording r;
  uint32_t v = r.call(r.cell("leaf", 0));
  for (int i = 0; i < 1000; ++i) v = r.call(r.cell("c", 1), {v});
  for (const Policy policy : policies) EXPECT_EQ(steps(r, policy), 1001u) << name(policy);
  r.call(1, {v});  // closes a cycle: the cells are one component
  for (const Policy policy : policies) EXPECT_EQ(steps(r, policy), 1002u) << name(policy);
  EXPECT_EQ(bound(r), 1002u);
}

TEST(Schedule, OneCallBesideTenThousand) {
  Recording r;
  const uint32_t leaf = r.cell("leaf", 0), a = r.cell("a", 1), b = r.cell("b", 1);
  const uint32_t v = r.call(leaf);
  for (int i = 0; i < 10'000; ++i) r.call(a, {v});
  r.call(b, {v});
  for (const Policy policy : {Policy::depth, Policy::agenda, Policy::automatic}) {
    const Schedule s = run(r.tape, r.all(), policy);
    ASSERT_EQ(s.steps.size(), 3u) << name(policy);
    EXPECT_EQ(s.steps[1].end - s.steps[1].begin, 10'000u) << name(policy);
  }
}

TEST(Schedule, RoundsLeaveOutWhatHasRun) {
  TreeLstm t;
  std::mt19937 random(5);
  for (int i = 0; i < 8; ++i) t.tree(10, random);
  Values nodes, rest;
  for (const uint32_t c : t.r.all()) (t.r.tape.call[c].cell == t.loss ? rest : nodes).push_back(c);
  Scheduler scheduler;
  Schedule s;
  for (const Policy policy : {Policy::depth, Policy::agenda, Policy::automatic}) {
    scheduler.run(t.r.tape, nodes, policy, s);
    verify(s, t.r.tape, nodes);
    scheduler.run(t.r.tape, rest, policy, s);
    verify(s, t.r.tape, rest);
    EXPECT_EQ(s.steps.size(), 1u);
    EXPECT_EQ(s.order, rest);
  }
  EXPECT_EQ(lower_bound(t.r.tape, rest), 1u);
}

// ---- errors that verify finds

TEST(Schedule, VerifyFindsWhatIsWrong) {
  Recording r;
  const uint32_t leaf = r.cell("leaf", 0), a = r.cell("a", 1);
  const uint32_t v = r.call(leaf);
  r.call(a, {v});
  r.call(a, {v});
  const Values all = r.all();
  const Schedule good = run(r.tape, all, Policy::automatic);
  const auto refuses = [&](auto spoil) {
    Schedule bad = good;
    spoil(bad);
    EXPECT_THROW(verify(bad, r.tape, all), InternalError);
  };
  refuses([](Schedule& s) { s.order[2] = s.order[1]; });                                // duplicate call
  refuses([](Schedule& s) { s.steps.pop_back(); });                                     // missing call
  refuses([](Schedule& s) { s.steps[0].cell = s.steps[1].cell; });                      // wrong cell
  refuses([](Schedule& s) { s.order[0] = 7; });                                         // no such call
  refuses([](Schedule& s) { s.steps.insert(s.steps.begin(), {0, 0, 0}); });             // empty step
  refuses([](Schedule& s) { s.steps = {{1, 0, 2}, {0, 2, 3}}, s.order = {1, 2, 0}; });  // before its producer
  EXPECT_THROW(verify(good, r.tape, Values{0, 1}), InternalError);
  EXPECT_THROW(verify(good, r.tape, Values{1, 0, 2}), InternalError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
