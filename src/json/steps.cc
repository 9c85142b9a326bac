// Blocks from a JSON value to a part of it, or to its C++ type.
#include <utility>

#include "json/value.h"

namespace espalier::json {
namespace {

const Json null;  // value of a missing optional field

struct Field {
  std::string name;
  bool optional;
  const Json& operator()(const Json& x, Where at) const {
    const Json::object_t& object = object_in(x, at);
    if (const Json* found = find_field(object, name)) return *found;
    if (!optional) refuse_missing(object, name_in_text(name), at);
    return null;
  }
  std::string path() const { return step_to(name); }
};

// The value itself as a C++ type; adds nothing to the path.
template <auto view>
struct Viewed {
  decltype(auto) operator()(const Json& x, Where at) const { return view(x, at); }
  std::string path() const { return {}; }
};
const Json* unless_null(const Json& x, Where) { return x.is_null() ? nullptr : &x; }

int whole_number(const Json& x, Where at) {
  const auto n = whole_in(x, at);
  if (!n || !std::in_range<int>(*n))
    throw DataError(printed(x) + " is given; an integer that fits an int is needed" + str(at));
  return static_cast<int>(*n);
}

}  // namespace

block::Block<Json, const Json&> field(std::string name, Where at) {
  return block::of<Json>(Field{std::move(name), false}, at);
}
block::Block<Json, const Json&> optional_field(std::string name, Where at) {
  return block::of<Json>(Field{std::move(name), true}, at);
}
block::Block<Json, const Json&> nth(int index, Where at) { return array(at) >> block::nth(index); }

block::Block<Json, const Json::array_t&> array(Where at) { return block::of<Json>(Viewed<&array_in>{}, at); }
block::Block<Json, const Json::object_t&> object(Where at) { return block::of<Json>(Viewed<&object_in>{}, at); }
block::Block<Json, const std::string&> text(Where at) { return block::of<Json>(Viewed<&text_in>{}, at); }
block::Block<Json, std::string> kind(Where at) {
  return block::of<Json>([](const Json& x) { return std::string(kind_of(x)); }, at);
}
block::Block<Json, int> integer(Where at) { return block::of<Json>(&whole_number, at); }
block::Block<Json, std::vector<int>> letters(Where at) {
  return text(at) >> [](const std::string& s) {
    std::vector<int> bytes;
    bytes.reserve(s.size());
    for (const char c : s) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
  };
}

namespace detail {
block::Block<Json, const Json*> unless_null(Where at) { return block::of<Json>(Viewed<&json::unless_null>{}, at); }
}  // namespace detail

}  // namespace espalier::json
