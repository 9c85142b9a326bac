// A pickle as plain values. The machine knows the codes of protocol 2 and calls nothing: where Python would, the value
// says what was to be called, and only the few names of a state_dict are known at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::io::torch {

inline constexpr uint64_t longest_pickle = 16'000'000;  // a state_dict takes about 100 bytes a tensor

inline constexpr std::string_view rebuild_tensor = "torch._utils\n_rebuild_tensor_v2",
                                  rebuild_parameter = "torch._utils\n_rebuild_parameter";

// Values name others by their places in Pickle::values: they may share, and be cyclic.
struct Value {
  enum class Kind : uint8_t {
    none,
    boolean,
    integer,     // number
    real,        // its value is not kept
    text,        // text
    global,      // text: "torch\\nFloatStorage", module and name
    tuple,       // items
    list,        // items
    dict,        // items: key, value, key, value …
    persistent,  // items: the tuple that stands for something outside the pickle
    made,        // text: the global that was called; items: the tuple of its arguments
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

// Views of `bytes`. O(bytes). DataError, beginning with `path`, that says what was met and at which byte.
Pickle read_pickle(std::string_view bytes, const std::string& path);

// What a value is, for messages: "a list", "the text 'cpu'".
std::string describe(const Value& value);

}  // namespace espalier::io::torch
