// expect: Fits<const .*basic_json<> ?&, .*lambda
#include <espalier/espalier.h>
#include <espalier/json.h>
namespace js = espalier::json;

// A JSON value may be of any kind; integer() says of which it must be.
auto f() {
  return js::field("label") >> [](int label) { return label; };
}
