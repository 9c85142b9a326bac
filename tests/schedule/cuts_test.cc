// Cuts of scheduling components of several cells, such as a cell that is used before and after a recursion.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "schedule/recording.h"
#include "schedule/schedule.h"
#include "support/allocations.h"

namespace espalier {
namespace ESPALIER_FILE {

using Values = Recording::Values;

Schedule automatic(const Recording& r) {
  Scheduler scheduler;
  Schedule schedule;
  const Values all = r.all();
  scheduler.run(r.tape, all, Policy::automatic, schedule);
  verify(schedule, r.tape, all);
  return schedule;
}

size_t steps(const Recording& r, Policy policy) {
  Schedule schedule;
  Scheduler().run(r.tape, r.all(), policy, schedule);
  return schedule.steps.size();
}

// A cut reaches the lower bound where depth and agenda do not.
void expect_cut_to_the_bound(const Recording& r, size_t bound) {
  const Schedule schedule = automatic(r);
  EXPECT_EQ(lower_bound(r.tape, r.all()), bound);
  EXPECT_EQ(schedule.steps.size(), bound);
  EXPECT_EQ(schedule.how, "cuts");
  EXPECT_GT(steps(r, Policy::depth), bound);
  EXPECT_GT(steps(r, Policy::agenda), bound);
}

// A transformer of matrix ops. An op without parameters is one cell in all layers, so all cells of one length feed each
// other. Examples of equal length share their cells.
struct Transformer {
  Recording r;

  Transformer(int lengths, int layers, int heads) {
    for (int length = 0; length < lengths; ++length) example(1 + length % 3, layers, heads);
  }
  void example(int examples, int layers, int heads) {
    const uint32_t embed = r.cell("embed", 0), scores = r.cell("scores", 2), scale = r.cell("scale", 1),
                   softmax = r.cell("softmax", 1), mix = r.cell("mix", 2), concat = r.cell("concat", heads),
                   add = r.cell("add", 2), relu = r.cell("relu", 1);
    Values slice;
    for (int h = 0; h < heads; ++h) slice.push_back(r.cell("slice", 1));
    std::vector<Values> weights;
    for (int l = 0; l < layers; ++l) {
      weights.emplace_back();
      for (const char* name : {"q", "k", "v", "out", "norm", "up", "down", "norm"})
        weights.back().push_back(r.cell(name, 1));
    }
    for (int e = 0; e < examples; ++e) {
      uint32_t x = r.call(embed);
      for (const Values& w : weights) {
        const uint32_t q = r.call(w[0], {x}), k = r.call(w[1], {x}), v = r.call(w[2], {x});
        Values mixed;
        for (const uint32_t part : slice) {
          const uint32_t s = r.call(scores, {r.call(part, {q}), r.call(part, {k})});
          mixed.push_back(r.call(mix, {r.call(softmax, {r.call(scale, {s})}), r.call(part, {v})}));
        }
        x = r.call(w[4], {r.call(add, {x, r.call(w[3], {r.call(concat, mixed)})})});
        x = r.call(w[7], {r.call(add, {x, r.call(w[6], {r.call(relu, {r.call(w[5], {x})})})})});
      }
    }
  }
};

// If agenda reaches the lower bound, automatic visits at most twice as many calls as agenda.
TEST(Cuts, AreNotTriedWhereAgendaIsBest) {
  Transformer t(10, 6, 4);
  const Values all = t.r.all();
  Scheduler by_agenda, best;
  Schedule agenda, schedule;
  by_agenda.run(t.r.tape, all, Policy::agenda, agenda);
  best.run(t.r.tape, all, Policy::automatic, schedule);
  verify(schedule, t.r.tape, all);
  EXPECT_GT(schedule.steps.size(), 1000u);
  EXPECT_EQ(schedule.steps.size(), agenda.steps.size());
  EXPECT_EQ(schedule.steps.size(), lower_bound(t.r.tape, all));
  EXPECT_LE(best.looks(), 2 * by_agenda.looks());
}

Values call_each(Recording& r, uint32_t cell, const Values& xs) {
  Values ys;
  for (const uint32_t x : xs) ys.push_back(r.call(cell, {x}));
  return ys;
}
Values call_each(Recording& r, uint32_t cell, const Values& xs, const Values& ys) {
  Values zs;
  for (size_t i = 0; i < xs.size(); ++i) zs.push_back(r.call(cell, {xs[i], ys[i]}));
  return zs;
}
Values leaves(Recording& r, uint32_t cell, size_t n) {
  Values xs;
  for (size_t i = 0; i < n; ++i) xs.push_back(r.call(cell));
  return xs;
}

// A character tagger. Its concats of characters and of words have equal sizes, so they are one cell.
struct Tagger {
  Recording r;
  size_t longest_word = 0, longest_sentence = 0;

  explicit Tagger(int sentences, uint32_t seed = 3) {
    const uint32_t letter = r.cell("letter", 0), embed = r.cell("embed", 0), concat = r.cell("concat", 2),
                   tag = r.cell("tag", 1);
    const Lstm spell(r, "spell"), unspell(r, "unspell"), forwards(r, "forwards"), backwards(r, "backwards");
    std::mt19937 random(seed);
    for (int sentence = 0; sentence < sentences; ++sentence) {
      Values xs(1 + random() % 12);
      longest_sentence = std::max(longest_sentence, xs.size());
      for (uint32_t& x : xs) {
        if (random() % 3 != 0) {  // rare words are spelt
          x = r.call(embed);
          continue;
        }
        const Values letters = leaves(r, letter, 1 + random() % 9);
        longest_word = std::max(longest_word, letters.size());
        x = r.call(concat, {spell.run(r, letters).back(), unspell.run(r, letters, true).front()});
      }
      call_each(r, tag, call_each(r, concat, forwards.run(r, xs), backwards.run(r, xs, true)));
    }
  }
};

TEST(Cuts, ATaggerWhoseConcatsAreOneCell) {
  const Tagger tagger(16);
  expect_cut_to_the_bound(tagger.r, 2 + 4 + 2 * tagger.longest_word + 2 * tagger.longest_sentence + 2 + 1);
}

TEST(Cuts, ADeepBiLstmWhoseLayersShareAConcat) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), concat = r.cell("concat", 2);
  const Lstm lstms[3][2] = {{{r, "f0"}, {r, "b0"}}, {{r, "f1"}, {r, "b1"}}, {{r, "f2"}, {r, "b2"}}};
  for (const size_t length : {4u, 9u, 2u}) {
    Values xs = leaves(r, embed, length);
    for (const auto& [forwards, backwards] : lstms)
      xs = call_each(r, concat, forwards.run(r, xs), backwards.run(r, xs, true));
  }
  expect_cut_to_the_bound(r, 1 + 6 + 6 * 9 + 3);
}

TEST(Cuts, AnEncoderAndADecoderThatShareTanh) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), tanh = r.cell("tanh", 1), out = r.cell("out", 1);
  const Lstm encoder(r, "encoder"), decoder(r, "decoder");
  for (const auto& [length, words] : {std::pair{7u, 5u}, {3u, 8u}, {5u, 1u}}) {
    const Values encoded = call_each(r, tanh, encoder.run(r, leaves(r, embed, length)));
    const Values decoded = decoder.run(r, Values(words, encoded.back()));
    call_each(r, out, call_each(r, tanh, decoded));
  }
  expect_cut_to_the_bound(r, 1 + 2 + 7 + 1 + 8 + 1 + 1);
}

TEST(Cuts, OneLinearBeforeAndAfterTrees) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), linear = r.cell("linear", 1), node = r.cell("node", 2);
  std::mt19937 random(6);
  for (int tree = 0; tree < 10; ++tree) {
    Values roots = call_each(r, linear, leaves(r, embed, 12));
    while (roots.size() > 1) {
      const size_t i = random() % (roots.size() - 1);
      roots[i] = r.call(node, {roots[i], roots[i + 1]});
      r.call(linear, {roots[i]});
      roots.erase(roots.begin() + static_cast<ptrdiff_t>(i) + 1);
    }
  }
  const uint32_t height = r.height() - 2;
  expect_cut_to_the_bound(r, 1 + 2 + height);
}

// Eight layers, each followed by one op: tanh, tanh, relu, relu, twice. A cut at one op leaves cycles of the other.
TEST(Cuts, InsideCuts) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), tanh = r.cell("tanh", 1), relu = r.cell("relu", 1);
  std::vector<Lstm> layers;
  for (int i = 0; i < 8; ++i) layers.emplace_back(r, "layer" + std::to_string(i));
  for (const size_t length : {3u, 6u, 1u}) {
    Values xs = leaves(r, embed, length);
    for (size_t i = 0; i < layers.size(); ++i)
      xs = call_each(r, i / 2 % 2 == 0 ? tanh : relu, layers[i].run(r, xs, i % 2 == 0));
  }
  expect_cut_to_the_bound(r, 1 + 8 + 8 * 6 + 4 + 4);
}

// Chains of different lengths start together, so that rows are read in place.
TEST(Cuts, AttentionStartsTogether) {
  Recording r;
  const uint32_t embed = r.cell("embed", 0), attend = r.cell("attend", 1, 1, {1});
  const Lstm decoder(r, "decoder");
  for (const int words : {5, 2, 3}) {
    const uint32_t group = r.group(4, leaves(r, embed, 4));
    uint32_t h = r.call(decoder.start);
    for (int i = 0; i < words; ++i) h = r.call(decoder.cell, {r.call(attend, {h}, {group}), h, h + 1});
  }
  const Schedule schedule = automatic(r);
  EXPECT_EQ(schedule.steps.size(), 2u + 5 + 5);
  std::vector<uint32_t> together;
  for (const Step& step : schedule.steps)
    if (step.cell == attend) together.push_back(step.end - step.begin);
  EXPECT_EQ(together, (std::vector<uint32_t>{3, 3, 2, 1, 1}));
}

// A tagger of single ops, each used by every gate, direction and layer: more cells than are tried as cuts.
void record_tagger_of_ops(Recording& r) {
  const uint32_t letter = r.cell("letter", 0), concat = r.cell("concat", 2), zero = r.cell("zero", 0),
                 add = r.cell("add", 2), mul = r.cell("mul", 2), sigmoid = r.cell("sigmoid", 1),
                 tanh = r.cell("tanh", 1);
  uint32_t linear[4][5];
  for (auto& lstm : linear)
    for (uint32_t& gate : lstm) gate = r.cell("linear", 1);
  const auto run = [&](const uint32_t(&w)[5], const Values& xs, bool backwards) {
    Values hs(xs.size());
    uint32_t h = r.call(zero), c = r.call(zero);
    for (size_t i = 0; i < xs.size(); ++i) {
      const size_t at = backwards ? xs.size() - 1 - i : i;
      const uint32_t x = r.call(w[4], {xs[at]});
      uint32_t gates[4];
      for (int g = 0; g < 4; ++g) gates[g] = r.call(g == 3 ? tanh : sigmoid, {r.call(add, {x, r.call(w[g], {h})})});
      c = r.call(add, {r.call(mul, {gates[0], c}), r.call(mul, {gates[1], gates[3]})});
      hs[at] = h = r.call(mul, {gates[2], r.call(tanh, {c})});
    }
    return hs;
  };
  for (const size_t words : {3u, 6u}) {
    Values xs;
    for (size_t w = 0; w < words; ++w) {
      const Values letters = leaves(r, letter, 2 + w);
      xs.push_back(r.call(concat, {run(linear[0], letters, false).back(), run(linear[1], letters, true).front()}));
    }
    call_each(r, concat, run(linear[2], xs, false), run(linear[3], xs, true));
  }
}

TEST(Cuts, ManyCellsInOneComponent) {
  Recording r;
  record_tagger_of_ops(r);
  const Schedule schedule = automatic(r);
  EXPECT_EQ(schedule.how, "cuts");
  EXPECT_LT(schedule.steps.size(), std::min(steps(r, Policy::depth), steps(r, Policy::agenda)));
}

TEST(Cuts, DoNotAllocateOnceWarm) {
  Tagger large(16), small(5, 4);
  Recording ops;
  record_tagger_of_ops(ops);
  std::vector<std::pair<const GraphTape*, Values>> rounds;
  for (const Recording* r : {&large.r, &ops, &small.r}) rounds.emplace_back(&r->tape, r->all());
  Scheduler scheduler;
  Schedule schedule;
  const auto run_all = [&] {
    for (const auto& [tape, calls] : rounds) scheduler.run(*tape, calls, Policy::automatic, schedule);
  };
  for (int i = 0; i < 3; ++i) run_all();
  const test::Allocations allocations;
  run_all();
  EXPECT_EQ(allocations.taken(), 0);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
