// Parses a pickle into plain values. It supports the opcodes of protocol 2 and calls nothing: a call becomes a value
// that records the callee and its arguments, and only the few names that a state_dict needs are accepted.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::io::torch {

inline constexpr uint64_t longest_pickle = 16'000'000;  // a state_dict takes about 100 bytes per tensor

inline constexpr std::string_view rebuild_tensor = "torch._utils\n_rebuild_tensor_v2",
                                  rebuild_parameter = "torch._utils\n_rebuild_parameter";

// Values refer to others by their index in Pickle::values; they may be shared and cyclic.
struct Value {
  enum class Kind : uint8_t {
    none,
    boolean,
    integer,     // number
    real,        // a float; its value is not kept
    text,        // text
    global,      // text: "torch\nFloatStorage", module and name on two lines
    tuple,       // items
    list,        // items
    dict,        // items: key, value, key, value …
    persistent,  // items: the tuple that identifies an object outside the pickle
    made,        // the result of a call; text: the global called; items: the tuple of its arguments
  };
  Kind kind = Kind::none;
  int64_t number = 0;
  std::string_view text{};
  std::vector<uint32_t> items{};
};

struct Pickle {
  std::vector<Value> values;
  uint32_t root = 0;
  const Value& operator[](uint32_t i) const { return values[i]; }
};

// The result refers to `bytes`. O(bytes). Throws DataError, beginning with `path`, with the offset of the invalid byte.
Pickle read_pickle(std::string_view bytes, const std::string& path);

// A value for messages: "a list", "the string 'cpu'".
std::string describe(const Value& value);

}  // namespace espalier::io::torch
