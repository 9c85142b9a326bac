// Code shared by sentence tasks: tokens, spelling of words, spans of tags, minibatches of similar length.
#include "tasks/metrics/spans.h"

#include <gtest/gtest.h>

#include "task/length_buckets.h"
#include "tasks/words/spelling.h"
#include "tasks/words/tokens.h"

namespace espalier::app {
namespace ESPALIER_FILE {

TEST(Spans, BeginWhereTheTagsSay) {
  using Spans = std::vector<Span>;
  EXPECT_EQ(spans_of({"O", "I-PER", "I-PER", "B-PER", "I-LOC", "O", "I-LOC"}),
            (Spans{{1, 3, "PER"}, {3, 4, "PER"}, {4, 5, "LOC"}, {6, 7, "LOC"}}));
  EXPECT_EQ(spans_of({"B-ORG", "I-ORG"}), (Spans{{0, 2, "ORG"}}));
  EXPECT_TRUE(spans_of({"O", "O"}).empty());
}

TEST(Spans, CountOnlyWhereBothEndsAndTheKindAreRight) {
  SpanScore score;
  EXPECT_EQ(score.f1(), 0);
  score.add({"I-PER", "I-PER", "O", "I-LOC"}, {"I-PER", "O", "O", "I-LOC"});
  EXPECT_DOUBLE_EQ(score.f1(), 2.0 * 1 / 4);
  score.add({"I-ORG"}, {"I-LOC"});
  EXPECT_DOUBLE_EQ(score.f1(), 2.0 * 1 / 6);
}

TEST(WordShape, TellsSixWaysOfWriting) {
  EXPECT_EQ(word_shape("house"), 0);
  EXPECT_EQ(word_shape("Zürich"), 1);
  EXPECT_EQ(word_shape("USA"), 2);
  EXPECT_EQ(word_shape("McDonald"), 3);
  EXPECT_EQ(word_shape("iPhone"), 3);
  EXPECT_EQ(word_shape("F16"), 4);
  EXPECT_EQ(word_shape(","), 5);
}

TEST(Tokens, HaveTagsWithAsManyBars) {
  const auto one = tagged_tokens(" a|b|NOUN\tc|X ");
  EXPECT_EQ(one[0].word, "a|b");
  EXPECT_EQ(one[0].tag, "NOUN");
  EXPECT_EQ(one[1].word, "c");
  const auto two = tagged_tokens("||NOUN|NN", 1);
  EXPECT_EQ(two[0].word, "|");
  EXPECT_EQ(two[0].tag, "NOUN|NN");
  const auto error_of = [](const char* line, size_t bars) -> std::string {
    try {
      tagged_tokens(line, bars);
      return "none";
    } catch (const std::exception& e) {
      return e.what();
    }
  };
  EXPECT_EQ(error_of("a|X b|", 0), "line:1:5: 'b|' has no tag; needed word|tag");
  EXPECT_EQ(error_of("|X", 0), "line:1:1: '|X' has no tag; needed word|tag");
  EXPECT_EQ(error_of("a|X", 1), "line:1:1: 'a|X' has no tag; needed word|tag|tag");
}

TEST(LikeLengths, EveryExampleOnceAndItsLikeBesideIt) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 1000; ++i) lengths.push_back(i * 7919 % 100);
  const auto all = minibatches_of_like_length(lengths, 10, 3, 5);
  ASSERT_EQ(all.size(), 100u);
  std::vector<int> seen(1000);
  uint32_t spread = 0;
  for (const Minibatch& m : all) {
    EXPECT_EQ(m.epoch, 5u);
    uint32_t least = 100, most = 0;
    for (const uint64_t id : m.ids) {
      ++seen[id];
      least = std::min(least, lengths[id]);
      most = std::max(most, lengths[id]);
    }
    spread += most - least;
  }
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
  EXPECT_LT(spread / all.size(), 8u);
  EXPECT_EQ(minibatches_of_like_length(lengths, 10, 3, 5).front().ids, all.front().ids);
  EXPECT_NE(minibatches_of_like_length(lengths, 10, 3, 6).front().ids, all.front().ids);
  EXPECT_TRUE(minibatches_of_like_length({}, 10, 3, 5).empty());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::app
