// expect: Fits<const .*basic_json<> ?&, .*lambda
#include <espalier/espalier.h>
#include <espalier/json.h>
namespace js = espalier::json;

// A JSON value may have any type; integer() requires an integer.
auto f() {
  return js::field("label") >> [](int label) { return label; };
}
