// expect: one_of\(key, cases\): what gives the key gives another type than the keys of the cases
#include <espalier/espalier.h>
#include <espalier/json.h>
namespace blk = espalier::block;
namespace js = espalier::json;

// A JSON value may be of any kind; text() says of which it must be.
auto f() {
  return blk::one_of(js::field("kind"), std::map<std::string, js::JsonBlock>{{"a", js::field("x") >> js::number()}});
}
