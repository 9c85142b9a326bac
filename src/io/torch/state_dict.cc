#include "io/torch/state_dict.h"

#include <algorithm>
#include <climits>
#include <set>

#include <fmt/core.h>

#include "io/checksum.h"
#include "io/torch/pickle.h"
#include "io/torch/zip.h"

namespace espalier::io::torch {
namespace {

using Kind = Value::Kind;
using Members = std::map<std::string, Member>;

constexpr uint64_t max_sharing = 64;  // limit of the bytes of all tensors, as a multiple of the file's bytes

const Dtype* storage_dtype(std::string_view global) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"torch\nFloatStorage", "F32"}, {"torch\nDoubleStorage", "F64"},    {"torch\nHalfStorage", "F16"},
      {"torch\nByteStorage", "U8"},   {"torch\nBFloat16Storage", "BF16"}, {"torch\nCharStorage", "I8"},
      {"torch\nShortStorage", "I16"}, {"torch\nIntStorage", "I32"},       {"torch\nLongStorage", "I64"},
      {"torch\nBoolStorage", "BOOL"},
  };
  for (const auto& [name, dtype] : names)
    if (name == global) return find_dtype(dtype);
  return nullptr;
}

// Turns the values of the pickle into tensors.
class StateDict {
 public:
  StateDict(const InputFile& file, const Pickle& pickle, const Members& members, std::string folder)
      : file_(file), pickle_(pickle), members_(members), folder_(std::move(folder)) {}

  Header tensors() {
    const Value& root = pickle_[pickle_.root];
    if (root.kind != Kind::dict)
      file_.fail("holds " + describe(root) + "; a dict of tensors is needed: torch.save(model.state_dict(), path)");
    Header header;
    std::set<std::string_view> names;
    uint64_t bytes = 0;
    for (size_t i = 0; i < root.items.size(); i += 2) {
      const Value& key = pickle_[root.items[i]];
      if (key.kind != Kind::text) file_.fail("holds " + describe(key) + " as a name; a string is needed");
      who_ = "tensor " + quote(key.text);
      if (!names.insert(key.text).second) fail(" is named twice");
      header.tensors.push_back(tensor(pickle_[root.items[i + 1]]));
      header.tensors.back().name = key.text;
      // The bytes of the result or the bytes read, whichever is larger: they differ for a strided tensor.
      const Stored& t = header.tensors.back();
      bytes += std::max(static_cast<uint64_t>(t.shape.size()) * sizeof(float), t.end - t.begin);
      if (bytes / max_sharing > file_.size())
        file_.fail(fmt::format("its tensors have more than {} times the file's {} bytes", max_sharing, file_.size()));
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { file_.fail(who_ + what); }

  // The arguments of a call; fails if there are fewer than `count`.
  const std::vector<uint32_t>& arguments(const Value& made, size_t count) const {
    const std::vector<uint32_t>& all = pickle_[made.items[0]].items;
    if (all.size() < count) fail(fmt::format(": {} arguments are given; {} are needed", all.size(), count));
    return all;
  }

  Stored tensor(const Value& given) const {
    const Value* value = &given;
    if (value->kind == Kind::made && value->text == rebuild_parameter) value = &pickle_[arguments(*value, 1)[0]];
    if (value->kind != Kind::made || value->text != rebuild_tensor)
      fail(" is " + describe(*value) + "; a tensor is needed: torch.save(model.state_dict(), path)");
    const std::vector<uint32_t>& all = arguments(*value, 4);
    const uint64_t first = count(pickle_[all[1]], "its storage offset");
    Stored t;
    const Bytes storage = find_storage(pickle_[all[0]], t);
    const std::vector<uint64_t> sizes = counts(pickle_[all[2]], "its shape"),
                                strides = counts(pickle_[all[3]], "its strides");
    if (sizes.size() > Shape::max_rank || strides.size() != sizes.size())
      fail(fmt::format(": {} sizes and {} strides; the counts must be equal and at most {}", sizes.size(),
                       strides.size(), Shape::max_rank));
    t.shape = shape(sizes, storage.numbers);
    if (t.shape.size() == 0) return t;
    // Nothing below can overflow: `last` stays below storage.numbers, and `step` is at most the number of elements.
    uint64_t last = first;
    bool fits = first < storage.numbers, dense = true;
    uint64_t step = 1;
    for (size_t d = sizes.size(); fits && d-- > 0;) {
      if (sizes[d] == 1) continue;
      dense = dense && strides[d] == step;
      step *= sizes[d];
      fits = strides[d] <= (storage.numbers - 1 - last) / (sizes[d] - 1);
      if (fits) last += strides[d] * (sizes[d] - 1);
    }
    if (!fits) fail(fmt::format(": {} exceeds its storage of {} elements", str(t.shape), storage.numbers));
    if (!dense) t.strides = strides;
    t.begin = storage.begin + first * t.dtype->bytes;
    t.end = storage.begin + (last + 1) * t.dtype->bytes;
    return t;
  }

  struct Bytes {
    uint64_t begin = 0, numbers = 0;
  };

  // ('storage', torch.FloatStorage, '0', 'cpu', 6): the bytes of the member data/0.
  Bytes find_storage(const Value& value, Stored& t) const {
    const Value* id = value.kind == Kind::persistent ? &pickle_[value.items[0]] : nullptr;
    if (!id || id->kind != Kind::tuple || id->items.size() != 5 || pickle_[id->items[0]].text != "storage" ||
        pickle_[id->items[1]].kind != Kind::global || pickle_[id->items[2]].kind != Kind::text)
      fail(": its data is invalid (" + describe(value) + "); a torch storage is needed");
    const Value &type = pickle_[id->items[1]], &key = pickle_[id->items[2]];
    t.dtype = storage_dtype(type.text);
    if (!t.dtype) fail(": its storage type " + describe(type) + " is not supported");
    const uint64_t numbers = count(pickle_[id->items[4]], "the size of its storage");
    const auto it = members_.find(folder_ + "data/" + std::string(key.text));
    if (it == members_.end()) fail(": its storage " + quote(key.text) + " is not in the file");
    const uint64_t bytes = it->second.end - it->second.begin;
    if (bytes / t.dtype->bytes != numbers || bytes % t.dtype->bytes != 0)
      fail(fmt::format(": its storage has {} bytes; {} elements of {} need {} each", bytes, numbers, t.dtype->name,
                       t.dtype->bytes));
    t.checksum = {it->second.begin, it->second.end, it->second.crc};
    return {it->second.begin, numbers};
  }

  uint64_t count(const Value& value, std::string_view what) const {
    if (value.kind != Kind::integer || value.number < 0)
      fail(fmt::format(": {} is {}; a number of at least 0 is needed", what, describe(value)));
    return static_cast<uint64_t>(value.number);
  }
  std::vector<uint64_t> counts(const Value& value, std::string_view what) const {
    if (value.kind != Kind::tuple) fail(fmt::format(": {} is {}; a tuple is needed", what, describe(value)));
    std::vector<uint64_t> numbers;
    for (const uint32_t item : value.items) {
      if (numbers.size() > Shape::max_rank) break;
      numbers.push_back(count(pickle_[item], what));
    }
    return numbers;
  }

  // Rejects a tensor that repeats elements of its storage (expand), which could be of any size.
  Shape shape(const std::vector<uint64_t>& sizes, uint64_t storage) const {
    std::array<int, Shape::max_rank> dims{};
    const bool empty = std::find(sizes.begin(), sizes.end(), 0u) != sizes.end();
    uint64_t product = 1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > INT_MAX || (sizes[d] > 0 && __builtin_mul_overflow(product, sizes[d], &product)) ||
          product > (empty ? INT_MAX : storage))
        fail(
            fmt::format(": it has more elements than its storage, which has {}; save a copy made by clone()", storage));
      dims[d] = static_cast<int>(sizes[d]);
    }
    return Shape::of(dims.data(), static_cast<int>(sizes.size()));
  }

  const InputFile& file_;
  const Pickle& pickle_;
  const Members& members_;
  const std::string folder_;  // prefix of the archive's members: "archive/"
  std::string who_;
};

std::string content(const InputFile& file, const std::string& name, const Member& member, uint64_t most) {
  const uint64_t bytes = member.end - member.begin;
  if (bytes > most)
    file.fail(fmt::format("a member that describes the tensors has {} bytes; at most {} are allowed", bytes, most));
  std::string text(bytes, '\0');
  file.read(text.data(), bytes, member.begin);
  if (crc32_of(text.data(), bytes) != member.crc)
    file.fail("the checksum of member " + quote(name) + " is wrong; the file is damaged");
  return text;
}

}  // namespace

Header read_state_dict(const InputFile& file) {
  const Members members = list_members(file);
  constexpr std::string_view pickle_name = "data.pkl";
  for (const auto& [name, member] : members) {
    if (!name.ends_with(pickle_name) || name.find('/') != name.size() - pickle_name.size() - 1) continue;
    const std::string folder = name.substr(0, name.size() - pickle_name.size());
    if (const auto order = members.find(folder + "byteorder"); order != members.end())
      if (content(file, order->first, order->second, 100) != "little")
        file.fail("its data is big-endian; save it on a little-endian machine");
    const std::string bytes = content(file, name, member, longest_pickle);
    return StateDict(file, read_pickle(bytes, file.path()), members, folder).tensors();
  }
  file.fail("is a zip archive without a data.pkl; torch.save writes one");
}

}  // namespace espalier::io::torch
