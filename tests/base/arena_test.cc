// Arena: growth, preserved contents, and the out-of-memory message.
#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

TEST(Arena, KeepsWhatItHoldsWhileItGrows) {
  Arena arena;
  EXPECT_EQ(arena.committed(), 0u);
  size_t filled = 0;
  for (size_t bytes = 1000; bytes < size_t{64} << 20; bytes = bytes * 3 / 2) {
    arena.grow(bytes);
    ASSERT_GE(arena.committed(), bytes);
    for (; filled < bytes; filled += 512)
      if (filled + sizeof filled <= bytes) std::memcpy(arena.base() + filled, &filled, sizeof filled);
  }
  for (size_t at = 0; at < filled; at += 512) {
    size_t found = 0;
    std::memcpy(&found, arena.base() + at, sizeof found);
    ASSERT_EQ(found, at);
  }
}

// Arenas next to each other in memory cannot grow in place and must move.
TEST(Arena, MovesWhereItCannotGrowInPlace) {
  std::vector<Arena> arenas(8);
  for (size_t bytes : {size_t{1} << 12, size_t{1} << 18, size_t{3} << 20, size_t{5} << 21})
    for (size_t a = 0; a < arenas.size(); ++a) {
      arenas[a].grow(bytes);
      if (bytes == size_t{1} << 12) *arenas[a].base() = std::byte(a);
      arenas[a].base()[bytes - 1] = std::byte{9};
    }
  for (size_t a = 0; a < arenas.size(); ++a) EXPECT_EQ(*arenas[a].base(), std::byte(a));
}

TEST(Arena, LargeOnesBeginAtAHugePage) {
  Arena arena;
  arena.grow(1);
  arena.grow(size_t{3} << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.base()) % (size_t{2} << 20), 0u);
}

TEST(Arena, ReservesNothing) {
  std::vector<Arena> arenas(100'000);
  for (Arena& a : arenas) EXPECT_EQ(a.committed(), 0u);
}

TEST(Arena, SaysWhatWasAskedForAndWhatThereIs) {
  Arena arena;
  arena.grow(100);
  *arena.base() = std::byte{7};
  const std::string said = test::error_of([&] { arena.grow(size_t{1} << 50); });
  EXPECT_TRUE(said.starts_with("arena: rows need 1073741824 MiB, 1073741824 MiB more than allocated, but ")) << said;
  EXPECT_NE(said.find(" leaves "), std::string::npos) << said;
  EXPECT_EQ(*arena.base(), std::byte{7});
  arena.grow(size_t{1} << 20);
  EXPECT_EQ(*arena.base(), std::byte{7});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
