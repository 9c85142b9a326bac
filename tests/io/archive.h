// Files in the format of torch.save, built by hand: for tests that corrupt them or run without PyTorch.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/checksum.h"
#include "io/folder.h"

namespace espalier::io {

using Members = std::vector<std::pair<std::string, std::string>>;  // name, bytes

// A zip archive of uncompressed members. `wide` adds the zip64 records, as PyTorch always does.
inline std::string archive_of(const Members& members, bool wide = true) {
  const auto u16 = [](size_t n) { return raw<uint16_t>({static_cast<uint16_t>(n)}); };
  const auto u32 = [](size_t n) { return raw<uint32_t>({static_cast<uint32_t>(n)}); };
  const auto u64 = [](size_t n) { return raw<uint64_t>({n}); };
  std::string bytes, directory;
  for (const auto& [name, content] : members) {
    const uint32_t crc = crc32_of(content.data(), content.size());
    const std::string sizes = u32(crc) + u32(content.size()) + u32(content.size()) + u16(name.size());
    directory += "PK\1\2" + u16(0) + u16(0) + u16(0) + u16(0) + u32(0) + sizes + u16(0) + u16(0) + u16(0) + u16(0) +
                 u32(0) + u32(bytes.size()) + name;
    bytes += "PK\3\4" + u16(0) + u16(0) + u16(0) + u32(0) + sizes + u16(4) + name + "FB" + u16(0) + content;
  }
  const size_t at = bytes.size(), end = at + directory.size();
  bytes += directory;
  if (wide)
    bytes += "PK\6\6" + u64(44) + u16(0) + u16(0) + u32(0) + u32(0) + u64(members.size()) + u64(members.size()) +
             u64(directory.size()) + u64(at) + "PK\6\7" + u32(0) + u64(end) + u32(1);
  return bytes + "PK\5\6" + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) + u32(directory.size()) +
         u32(at) + u16(0);
}

// ---- parts of a pickle
inline std::string text(std::string_view value) {
  return "X" + raw<uint32_t>({static_cast<uint32_t>(value.size())}) + std::string(value);
}
inline std::string integer(int32_t value) { return "J" + raw<int32_t>({value}); }
inline std::string tuple(const std::vector<int32_t>& values) {
  std::string all = "(";
  for (const int32_t value : values) all += integer(value);
  return all + "t";
}
inline std::string storage(std::string_view key, int32_t numbers, std::string_view type = "FloatStorage") {
  return "(" + text("storage") + "ctorch\n" + std::string(type) + "\n" + text(key) + text("cpu") + integer(numbers) +
         "tQ";
}
inline std::string tensor(const std::string& numbers, int32_t first, const std::string& sizes,
                          const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + numbers + integer(first) + sizes + strides + "\x89" +
         "ccollections\nOrderedDict\n)RtR";
}
// A complete pickle of a dict with these items.
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "\x80\2ccollections\nOrderedDict\n)R(";
  for (const auto& [name, value] : items) all += text(name) + value;
  return all + "u}" + text("_metadata") + "}sb.";
}

// A valid file: a.weight [2,3], its transpose, and b [] in half precision.
inline Members sample_state_dict() {
  return {{"archive/data.pkl", dict({{"a.weight", tensor(storage("0", 6), 0, tuple({2, 3}), tuple({3, 1}))},
                                     {"turned", tensor(storage("0", 6), 0, tuple({3, 2}), tuple({1, 3}))},
                                     {"b", tensor(storage("1", 2, "HalfStorage"), 1, tuple({}), tuple({}))}})},
          {"archive/byteorder", "little"},
          {"archive/data/0", raw<float>({1, 2, 3, 4, 5, 6})},
          {"archive/data/1", raw<uint16_t>({0x3c00, 0xc000})},
          {"archive/version", "3\n"}};
}

}  // namespace espalier::io
