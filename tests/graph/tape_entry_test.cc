// TapeEntry: a value of a destroyed tape stays stale, whichever tape uses its entry now.
#include "graph/tape_entry.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include <espalier/espalier.h>
#include "expr/record.h"

namespace espalier {
namespace ESPALIER_FILE {

using detail::TapeEntry;

TEST(TapeEntries, AreUsedAgainWithLaterStamps) {
  auto tape = std::make_unique<GraphTape>();
  TapeEntry* const entry = tape->entry();
  const uint32_t stamp = tape->stamp;
  EXPECT_EQ(entry->find(stamp), tape.get());
  tape.reset();
  EXPECT_EQ(entry->find(stamp), nullptr);
  const GraphTape next;
  ASSERT_EQ(next.entry(), entry) << "the last that was given back is the next";
  EXPECT_GT(next.stamp, stamp);
  EXPECT_EQ(entry->find(stamp), nullptr);
  EXPECT_EQ(entry->find(next.stamp), &next);
}

TEST(TapeEntries, AreOfGraphsOrOfTraces) {
  TapeEntry* of_graph = nullptr;
  {
    const GraphTape tape;
    of_graph = tape.entry();
  }
  const Trace trace;
  EXPECT_NE(trace.entry(), of_graph);
  EXPECT_TRUE(trace.entry()->tracing);
  EXPECT_FALSE(of_graph->tracing);
}

TEST(TapeEntries, StampsNeverWrap) {
  GraphTape tape;
  TapeEntry* const first = tape.entry();
  tape.stamp = detail::Tape::renewed_from - 1;
  tape.clear();
  EXPECT_EQ(tape.entry(), first);
  const GraphTape::Mark mark = tape.mark();
  const uint32_t stamp = tape.stamp;
  tape.clear();
  EXPECT_NE(tape.entry(), first);
  EXPECT_EQ(first->find(stamp), nullptr);
  EXPECT_EQ(tape.entry()->find(tape.stamp), &tape);
  EXPECT_THROW(tape.revert(mark), GraphError);
  const GraphTape other;
  EXPECT_NE(other.entry(), first) << "an entry whose stamps are used up is not used again";
}

TEST(TapeEntries, RevertsBetweenTwoClearsAreCounted) {
  GraphTape tape;
  tape.stamp = std::numeric_limits<uint32_t>::max() - 1;
  const GraphTape::Mark mark = tape.mark();
  tape.revert(mark);
  EXPECT_THROW(tape.revert(mark), GraphError);
  tape.clear();
  tape.revert(tape.mark());
}

// Uses a stale value while another thread creates and destroys graphs in its entry: for the thread sanitizer.
TEST(TapeEntries, AreReadWhileOtherThreadsUseThemAgain) {
  Expr stale;
  {
    Engine engine;
    Graph g = engine.graph();
    stale = ones(g, {2});
  }
  std::jthread other([] {
    for (int i = 0; i < 50; ++i) {
      Engine engine;
      Graph g = engine.graph();
      for (int k = 0; k < 20; ++k) (void)tanh(ones(g, {2}));
    }
  });
  for (int i = 0; i < 1000; ++i) EXPECT_THROW((void)tanh(stale), GraphError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
