// expect: one_of\(key, cases\): the type of the key does not convert to the key type of the cases
#include <espalier/espalier.h>
#include <espalier/json.h>
namespace blk = espalier::block;
namespace js = espalier::json;

// A JSON value may have any type; text() requires a string.
auto f() {
  return blk::one_of(js::field("kind"), std::map<std::string, js::JsonBlock>{{"a", js::field("x") >> js::number()}});
}
