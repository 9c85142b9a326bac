#include "io/torch/zip.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <string_view>

#include <fmt/core.h>

#include "io/header.h"

namespace espalier::io::torch {
namespace {

// Records of the format (PKWARE's APPNOTE, 4.3): signatures, and lengths of their fixed parts.
constexpr uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50, end64_mark = 0x06064b50,
                   locator_mark = 0x07064b50;
constexpr uint64_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56, locator_bytes = 20;
constexpr uint64_t longest_comment = 0xffff;
constexpr uint64_t longest_directory = 100'000'000;  // the same limit as for a safetensors header
constexpr uint16_t zip64_extra = 1, encrypted = 1;

template <std::unsigned_integral T>
T number(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string bytes_at(const InputFile& file, uint64_t at, uint64_t count) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), count, at);
  return bytes;
}

// Position and size of the directory, and the number of its members.
struct Directory {
  uint64_t at = 0, bytes = 0, members = 0;
};

Directory find_directory(const InputFile& file) {
  const uint64_t tail_bytes = std::min(file.size(), end_bytes + longest_comment);
  const uint64_t tail_at = file.size() - tail_bytes;
  const std::string tail = bytes_at(file, tail_at, tail_bytes);
  uint64_t at = tail_bytes < end_bytes ? 0 : tail_bytes - end_bytes + 1;
  do {
    if (at == 0) file.fail("is a zip archive without a directory at its end; it is truncated");
    --at;
  } while (number<uint32_t>(tail, at) != end_mark || number<uint16_t>(tail, at + 20) != tail_bytes - at - end_bytes);

  Directory found{number<uint32_t>(tail, at + 16), number<uint32_t>(tail, at + 12), number<uint16_t>(tail, at + 10)};
  const uint64_t end_at = tail_at + at;
  uint64_t limit = end_at;
  if (end_at >= locator_bytes) {
    const std::string locator = bytes_at(file, end_at - locator_bytes, locator_bytes);
    if (number<uint32_t>(locator, 0) == locator_mark) {
      limit = number<uint64_t>(locator, 8);
      if (limit > end_at || end_at - limit < end64_bytes)
        file.fail(fmt::format("its zip directory ends at byte {}, which is out of range", limit));
      const std::string end64 = bytes_at(file, limit, end64_bytes);
      if (number<uint32_t>(end64, 0) != end64_mark)
        file.fail("its zip directory has no end record; the file is damaged");
      found = {number<uint64_t>(end64, 48), number<uint64_t>(end64, 40), number<uint64_t>(end64, 32)};
    }
  }
  if (found.at > limit || found.bytes > limit - found.at)
    file.fail(fmt::format("its zip directory of {} bytes at byte {} exceeds its end record at byte {}", found.bytes,
                          found.at, limit));
  if (found.bytes > longest_directory)
    file.fail(fmt::format("its zip directory has {} bytes; at most {} are allowed", found.bytes, longest_directory));
  return found;
}

// One entry of the directory.
struct Entry {
  std::string name;
  uint64_t packed = 0, size = 0, local_at = 0;
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;

  // Values that do not fit into 32 bits are stored in an extra field, in this order.
  void widen(std::string_view extra) {
    while (extra.size() >= 4) {
      const auto kind = number<uint16_t>(extra, 0);
      std::string_view field = extra.substr(4, number<uint16_t>(extra, 2));
      extra.remove_prefix(4 + field.size());
      if (kind != zip64_extra) continue;
      for (uint64_t* value : {&size, &packed, &local_at}) {
        if (*value != UINT32_MAX || field.size() < 8) continue;
        *value = number<uint64_t>(field, 0);
        field.remove_prefix(8);
      }
    }
  }
};

Member locate(const InputFile& file, const Entry& entry, uint64_t limit) {
  const std::string who = "member " + quote(entry.name);
  if (entry.method != 0 || (entry.flags & encrypted) != 0 || entry.packed != entry.size)
    file.fail(who + " is compressed; torch.save stores members as they are");
  if (entry.local_at > limit || limit - entry.local_at < local_bytes)
    file.fail(fmt::format("{} begins at byte {}, which is out of range", who, entry.local_at));
  const std::string local = bytes_at(file, entry.local_at, local_bytes);
  if (number<uint32_t>(local, 0) != local_mark)
    file.fail(fmt::format("{} has no header at byte {}", who, entry.local_at));
  const uint64_t begin =
      entry.local_at + local_bytes + number<uint16_t>(local, 26) + number<uint16_t>(local, 28);  // name, extra field
  if (begin > limit || entry.size > limit - begin)
    file.fail(fmt::format("{} has {} bytes from byte {} on; it must end before byte {}, where the directory begins",
                          who, entry.size, begin, limit));
  return {begin, begin + entry.size, entry.crc};
}

}  // namespace

std::map<std::string, Member> list_members(const InputFile& file) {
  const Directory directory = find_directory(file);
  const std::string bytes = bytes_at(file, directory.at, directory.bytes);
  std::map<std::string, Member> members;
  std::string_view rest = bytes;
  uint64_t total = 0;  // cannot overflow: each size is at most that of the file
  for (uint64_t i = 0; i < directory.members; ++i) {
    if (rest.size() < entry_bytes || number<uint32_t>(rest, 0) != entry_mark)
      file.fail(fmt::format("its zip directory lists only {} of {} members", i, directory.members));
    Entry entry;
    entry.flags = number<uint16_t>(rest, 8);
    entry.method = number<uint16_t>(rest, 10);
    entry.crc = number<uint32_t>(rest, 16);
    entry.packed = number<uint32_t>(rest, 20);
    entry.size = number<uint32_t>(rest, 24);
    entry.local_at = number<uint32_t>(rest, 42);
    const uint64_t name = number<uint16_t>(rest, 28), extra = number<uint16_t>(rest, 30),
                   comment = number<uint16_t>(rest, 32);
    rest.remove_prefix(entry_bytes);
    if (rest.size() < name + extra + comment)
      file.fail(fmt::format("its zip directory lists only {} of {} members", i, directory.members));
    entry.name = rest.substr(0, name);
    entry.widen(rest.substr(name, extra));
    rest.remove_prefix(name + extra + comment);
    const Member member = locate(file, entry, directory.at);
    total += entry.size;
    if (total > file.size()) file.fail("members of its zip archive overlap");  // limits the bytes read for checksums
    if (!members.emplace(std::move(entry.name), member).second) file.fail("a member of its zip archive is named twice");
  }
  return members;
}

}  // namespace espalier::io::torch
