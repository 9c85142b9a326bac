#include "support/fuzz_reader.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

#include "io/folder.h"
#include "support/allocations.h"
#include "support/mutate.h"

namespace espalier::test {

void fuzz(const Reader& reader) {
  for (const std::string& valid : reader.valid) reader.read(valid);
  const char* asked = std::getenv("ESPALIER_FUZZ_INPUTS");
  const uint64_t inputs = asked ? std::strtoull(asked, nullptr, 10) : 10'000;
  const Mutator mutate(reader.valid, reader.pieces);
  uint64_t read = 0, refused = 0;
  for (uint64_t number = 0; number < inputs; ++number) {
    const std::string bytes = mutate(number);
    const Allocations allocations;
    try {
      reader.read(bytes);
      ++read;
    } catch (const DataError& e) {
      ASSERT_STRNE(e.what(), "");
      ++refused;
    } catch (const std::exception& e) {
      FAIL() << "input " << number << " throws what is no DataError: " << e.what();
    }
    ASSERT_LT(allocations.bytes_taken(), reader.memory + 1000 * bytes.size()) << "input " << number;
    ASSERT_FALSE(testing::Test::HasFailure()) << "input " << number;
  }
  testing::Test::RecordProperty("read", std::to_string(read));
  testing::Test::RecordProperty("refused", std::to_string(refused));
  EXPECT_GT(read, 0u);
  EXPECT_EQ(refused == 0, reader.takes_all);
}

std::string written(const std::function<void(const std::string& path)>& write) {
  const io::Folder folder;
  write(folder / "f");
  return io::bytes_of(folder / "f");
}

}  // namespace espalier::test
