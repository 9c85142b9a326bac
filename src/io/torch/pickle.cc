#include "io/torch/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>
#include <espalier/base/error.h>

#include "io/header.h"

namespace espalier::io::torch {
namespace {

using Kind = Value::Kind;

constexpr std::string_view ordered_dict = "collections\nOrderedDict";

bool is_known(std::string_view global) {
  return global == ordered_dict || global == rebuild_tensor || global == rebuild_parameter ||
         (global.starts_with("torch\n") && global.ends_with("Storage"));
}

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  Pickle run() {
    while (!done_) step();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: byte {} of its pickle: {}", path_, code_at_, what));
  }

  // ---- the bytes
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) fail(fmt::format("{} bytes are needed, {} follow", count, bytes_.size() - at_));
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  template <class T>
  T take_number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  // ---- the stack
  void push(Value value) {
    stack_.push_back(static_cast<uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }
  void push_items(Kind kind, std::vector<uint32_t> items) { push({.kind = kind, .items = std::move(items)}); }
  // Pops the last `count` values, but none from before the last mark.
  std::vector<uint32_t> pop(size_t count) {
    if (stack_.size() - floor() < count) fail("its stack is empty");
    std::vector<uint32_t> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }
  std::vector<uint32_t> pop_to_mark() {
    if (marks_.empty()) fail("its stack has no mark");
    std::vector<uint32_t> items = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  uint32_t top() {
    if (stack_.size() == floor()) fail("its stack is empty");
    return stack_.back();
  }
  Value& value(uint32_t i) { return pickle_.values[i]; }

  // ---- the opcodes (Python's Lib/pickletools.py lists them)
  void step() {
    code_at_ = at_;
    const auto code = static_cast<unsigned char>(take(1)[0]);
    switch (code) {
      case 0x80:
        if (const auto version = take_number<uint8_t>(); version != 2)
          fail(fmt::format("protocol {}; 2 is needed, the default of torch.save", version));
        return;
      case '(':
        marks_.push_back(stack_.size());
        return;
      case 'N':
        return push({});
      case 0x88:
      case 0x89:
        return push({.kind = Kind::boolean, .number = code == 0x88});
      case 'J':
        return push({.kind = Kind::integer, .number = take_number<int32_t>()});
      case 'K':
        return push({.kind = Kind::integer, .number = take_number<uint8_t>()});
      case 'M':
        return push({.kind = Kind::integer, .number = take_number<uint16_t>()});
      case 0x8a:
        return push({.kind = Kind::integer, .number = long_integer()});
      case 'G':
        take(8);
        return push({.kind = Kind::real});
      case 'X':
        return push({.kind = Kind::text, .text = take(take_number<uint32_t>())});
      case 'c':
        return global();
      case ')':
        return push_items(Kind::tuple, {});
      case ']':
        return push_items(Kind::list, {});
      case '}':
        return push_items(Kind::dict, {});
      case 't':
        return push_items(Kind::tuple, pop_to_mark());
      case 0x85:
      case 0x86:
      case 0x87:
        return push_items(Kind::tuple, pop(code - 0x84u));
      case 'Q':
        return push_items(Kind::persistent, pop(1));
      case 'R':
        return reduce();
      case 'a':
        return extend(Kind::list, pop(1));
      case 'e':
        return extend(Kind::list, pop_to_mark());
      case 's':
        return extend(Kind::dict, pop(2));
      case 'u':
        return extend(Kind::dict, pop_to_mark());
      case 'b':
        return build();
      case 'q':
        return remember(take_number<uint8_t>());
      case 'r':
        return remember(take_number<uint32_t>());
      case 'h':
        return recall(take_number<uint8_t>());
      case 'j':
        return recall(take_number<uint32_t>());
      case '.':
        pickle_.root = top();
        done_ = true;
        return;
      default:
        fail(fmt::format("opcode 0x{:02x} is not supported", code));
    }
  }

  int64_t long_integer() {  // little-endian, two's complement, of any length
    const std::string_view digits = take(take_number<uint8_t>());
    if (digits.size() > 8) fail("an integer of more than 8 bytes is not supported");
    uint64_t bits = !digits.empty() && (digits.back() & 0x80) ? ~uint64_t{0} : 0;
    std::memcpy(&bits, digits.data(), digits.size());
    return std::bit_cast<int64_t>(bits);
  }

  void global() {
    for (int line = 0; line < 2; ++line) {
      const size_t end = bytes_.find('\n', at_);
      if (end == std::string_view::npos) fail("a name is not terminated");
      at_ = end + 1;
    }
    const Value named{.kind = Kind::global, .text = bytes_.substr(code_at_ + 1, at_ - code_at_ - 2)};
    if (!is_known(named.text)) fail("refers to " + describe(named) + ", which no state_dict needs");
    push(named);
  }

  void reduce() {
    const std::vector<uint32_t> both = pop(2);
    const Value &callee = value(both[0]), &arguments = value(both[1]);
    if (callee.kind != Kind::global) fail("calls " + describe(callee) + "; a function is needed");
    if (arguments.kind != Kind::tuple) fail("calls a function with " + describe(arguments) + "; a tuple is needed");
    if (callee.text != ordered_dict) return push({.kind = Kind::made, .text = callee.text, .items = {both[1]}});
    if (!arguments.items.empty()) fail("makes an OrderedDict with arguments; none are supported");
    push_items(Kind::dict, {});
  }

  void extend(Kind kind, const std::vector<uint32_t>& more) {
    Value& whole = value(top());
    if (whole.kind != kind) fail("adds to " + describe(whole));
    if (kind == Kind::dict && more.size() % 2 != 0) fail("adds a key without a value to a dict");
    whole.items.insert(whole.items.end(), more.begin(), more.end());
  }

  // Ignores the attributes of an OrderedDict, such as the versions of modules.
  void build() {
    pop(1);
    if (const Value& whole = value(top()); whole.kind != Kind::dict) fail("sets attributes of " + describe(whole));
  }

  void remember(uint32_t key) { memo_[key] = top(); }
  void recall(uint32_t key) {
    const auto it = memo_.find(key);
    if (it == memo_.end()) fail(fmt::format("reads memo entry {}, which is not set", key));
    stack_.push_back(it->second);
  }

  std::string_view bytes_;
  const std::string& path_;
  size_t at_ = 0, code_at_ = 0;
  bool done_ = false;
  Pickle pickle_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;  // sizes of the stack at the marks
  std::unordered_map<uint32_t, uint32_t> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& path) { return Machine(bytes, path).run(); }

std::string describe(const Value& value) {
  const auto dotted = [&] {
    std::string name(value.text);
    std::replace(name.begin(), name.end(), '\n', '.');
    return quote(name);
  };
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.number ? "True" : "False";
    case Kind::integer:
      return "the number " + std::to_string(value.number);
    case Kind::real:
      return "a float";
    case Kind::text:
      return "the string " + quote(value.text);
    case Kind::global:
      return dotted();
    case Kind::tuple:
      return "a tuple";
    case Kind::list:
      return "a list";
    case Kind::dict:
      return "a dict";
    case Kind::persistent:
      return "a storage";
    case Kind::made:
      break;
  }
  return "the result of " + dotted();
}

}  // namespace espalier::io::torch
