// Which rows the arena holds while a plan is simulated: blocks of rows that do not overlap, ordered by offset. Writing
// over the rows of another buffer forgets them. Consecutive rows of a buffer are one block, so that the number of
// blocks depends on the steps, not on the rows.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace espalier {

// Elements begin … end - 1 of each row.
struct Columns {
  uint64_t begin = 0, end = 0;
  bool operator==(const Columns&) const = default;
};

// Rows first … first + rows - 1 of a buffer of a cell batch.
struct BufferRows {
  uint32_t batch = 0, buffer = 0;
  uint32_t first = 0, rows = 0;
  uint64_t offset = 0, stride = 0;
  uint64_t end() const { return offset + rows * stride; }
  // Whether `other` is in the same buffer, and both give each row number the same address.
  bool continues(const BufferRows& other) const;
  BufferRows part(uint32_t skip, uint32_t count) const {
    return {batch, buffer, first + skip, count, offset + skip * stride, stride};
  }
};

class WrittenRows {
 public:
  void write(const BufferRows& rows, Columns columns);
  void erase(uint64_t begin, uint64_t end);
  // The offset of the first of these rows that the arena does not hold; none if it holds all of them.
  std::optional<uint64_t> missing(const BufferRows& rows, Columns columns) const;
  // The row that holds the element, as a block of one row.
  std::optional<BufferRows> at(uint64_t offset) const;

 private:
  struct Block {
    BufferRows rows;
    std::vector<Columns> columns;  // ascending, neither overlapping nor adjacent
  };
  using Blocks = std::map<uint64_t, Block>;

  Blocks::const_iterator find(uint64_t offset) const;
  void split(uint64_t at);
  void insert(const BufferRows& rows, Columns columns);
  void merge(Blocks::iterator block);
  static void add(std::vector<Columns>& to, Columns columns);
  static bool holds(const std::vector<Columns>& in, Columns columns);

  Blocks blocks_;
  mutable Blocks::const_iterator latest_ = blocks_.end();  // the last block found
};

}  // namespace espalier
