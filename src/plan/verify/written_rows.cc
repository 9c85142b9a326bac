#include "plan/verify/written_rows.h"

#include <algorithm>

namespace espalier {

bool BufferRows::continues(const BufferRows& other) const {
  return batch == other.batch && buffer == other.buffer && stride == other.stride &&
         offset + other.first * stride == other.offset + first * stride;
}

void WrittenRows::write(const BufferRows& rows, Columns columns) {
  if (rows.rows == 0 || rows.stride == 0) return;
  if (auto it = find(rows.offset); it != blocks_.end()) {  // fast path: the block holds these columns already
    const BufferRows& block = it->second.rows;
    if (block.offset == rows.offset && block.rows == rows.rows && block.continues(rows)) {
      auto& own = blocks_.find(it->first)->second.columns;
      if (holds(own, columns)) return;
    }
  }
  split(rows.offset);
  split(rows.end());
  uint64_t next = rows.offset;
  auto gap = [&](uint64_t until) {
    const auto skip = static_cast<uint32_t>((next - rows.offset) / rows.stride);
    if (until > next) insert(rows.part(skip, static_cast<uint32_t>((until - next) / rows.stride)), columns);
  };
  for (auto it = blocks_.lower_bound(rows.offset); it != blocks_.end() && it->first < rows.end();) {
    Block& block = it->second;
    if (!block.rows.continues(rows)) {
      it = blocks_.erase(it);
      continue;
    }
    gap(it->first);
    add(block.columns, columns);
    next = block.rows.end();
    ++it;
  }
  gap(rows.end());
  latest_ = blocks_.end();
  if (const auto first = blocks_.find(rows.offset); first != blocks_.end()) merge(first);
  if (const auto after = blocks_.find(rows.end()); after != blocks_.end()) merge(after);
}

void WrittenRows::erase(uint64_t begin, uint64_t end) {
  split(begin);
  split(end);
  blocks_.erase(blocks_.lower_bound(begin), blocks_.lower_bound(end));
  latest_ = blocks_.end();
}

std::optional<uint64_t> WrittenRows::missing(const BufferRows& rows, Columns columns) const {
  if (rows.stride == 0 || columns.begin == columns.end) return {};
  for (uint32_t i = 0; i < rows.rows;) {
    const uint64_t at = rows.offset + i * rows.stride;
    const auto it = find(at);
    if (it == blocks_.end() || !it->second.rows.continues(rows) || !holds(it->second.columns, columns)) return at;
    i += static_cast<uint32_t>((it->second.rows.end() - at) / rows.stride);
  }
  return {};
}

std::optional<BufferRows> WrittenRows::at(uint64_t offset) const {
  const auto it = find(offset);
  if (it == blocks_.end()) return {};
  const BufferRows& rows = it->second.rows;
  return rows.part(static_cast<uint32_t>((offset - rows.offset) / rows.stride), 1);
}

WrittenRows::Blocks::const_iterator WrittenRows::find(uint64_t offset) const {
  const auto has = [&](Blocks::const_iterator it) { return it->first <= offset && offset < it->second.rows.end(); };
  if (latest_ != blocks_.end() && has(latest_)) return latest_;
  auto it = blocks_.upper_bound(offset);
  if (it == blocks_.begin() || !has(--it)) return blocks_.end();
  return latest_ = it;
}

// Splits the block that contains `at`. A row that lies across `at` is forgotten.
void WrittenRows::split(uint64_t at) {
  const auto found = find(at);
  if (found == blocks_.end() || found->first == at) return;
  Block& block = blocks_.find(found->first)->second;
  const BufferRows whole = block.rows;
  const auto before = static_cast<uint32_t>((at - whole.offset) / whole.stride);
  const uint32_t after = before + ((at - whole.offset) % whole.stride != 0);
  if (after < whole.rows) {
    const BufferRows rest = whole.part(after, whole.rows - after);
    blocks_.emplace(rest.offset, Block{rest, block.columns});
  }
  block.rows.rows = before;
  if (before == 0) blocks_.erase(whole.offset);
  latest_ = blocks_.end();
}

void WrittenRows::insert(const BufferRows& rows, Columns columns) {
  blocks_.emplace(rows.offset, Block{rows, {columns}});
}

// Merges the block with the one before it, if that holds the preceding rows of the buffer and the same columns.
void WrittenRows::merge(Blocks::iterator block) {
  if (block == blocks_.begin()) return;
  const auto before = std::prev(block);
  Block& a = before->second;
  const Block& b = block->second;
  if (a.rows.end() != b.rows.offset || !a.rows.continues(b.rows) || a.columns != b.columns) return;
  a.rows.rows += b.rows.rows;
  blocks_.erase(block);
}

void WrittenRows::add(std::vector<Columns>& to, Columns columns) {
  auto first = std::find_if(to.begin(), to.end(), [&](const Columns& c) { return c.end >= columns.begin; });
  auto last = first;
  for (; last != to.end() && last->begin <= columns.end; ++last) {
    columns.begin = std::min(columns.begin, last->begin);
    columns.end = std::max(columns.end, last->end);
  }
  to.insert(to.erase(first, last), columns);
}

bool WrittenRows::holds(const std::vector<Columns>& in, Columns columns) {
  return std::any_of(in.begin(), in.end(),
                     [&](const Columns& c) { return c.begin <= columns.begin && columns.end <= c.end; });
}

}  // namespace espalier
