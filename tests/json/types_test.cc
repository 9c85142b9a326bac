// Static checks of which blocks accept a JSON value. A value may be of any kind, so no block converts it or treats it
// as a sequence before array(), text() or integer().
#include <gtest/gtest.h>

#include <functional>

#include <espalier/espalier.h>
#include <espalier/json.h>

namespace espalier::json {
namespace ESPALIER_FILE {

namespace blk = block;

template <class F, class A = const Json&>
bool takes(const F&) {
  return blk::detail::Takes<F, A>;
}
int of_int(int x) { return x; }
int of_json(const Json& x, Where) { return static_cast<int>(x.size()); }

TEST(JsonTypes, AValueIsNoSequence) {
  const auto size = [](const Json& x) { return x.size(); };
  EXPECT_FALSE(takes(blk::length()));
  EXPECT_FALSE(takes(blk::nth(0)));
  EXPECT_FALSE(takes(blk::slice(0, 1)));
  EXPECT_FALSE(takes(blk::map(size)));
  EXPECT_FALSE(takes(blk::fold([](int n, const Json&) { return n + 1; }, 0)));
  EXPECT_TRUE((takes<decltype(blk::length()), const Json::array_t&>(blk::length())));
  EXPECT_TRUE((takes<decltype(blk::map(size)), const Json::array_t&>(blk::map(size))));
}

TEST(JsonTypes, AFunctionTakesItWhole) {
  EXPECT_TRUE(takes([](const Json&) { return 1; }));
  EXPECT_TRUE(takes([](Json) { return 1; }));
  EXPECT_TRUE(takes([](Graph&, const Json&) { return 1; }));
  EXPECT_TRUE(takes([](const auto& x) { return x.size(); }));
  EXPECT_TRUE(takes(std::function<int(const Json&)>()));
  EXPECT_TRUE(takes(&of_json));
  EXPECT_TRUE(takes(number()));
}

TEST(JsonTypes, ItIsConvertedToNothing) {
  EXPECT_FALSE(takes([](int) { return 1; }));
  EXPECT_FALSE(takes([](Graph&, float) { return 1; }));
  EXPECT_FALSE(takes([](const std::string&) { return 1; }));
  EXPECT_FALSE(takes([](std::vector<float>) { return 1; }));
  EXPECT_FALSE(takes(std::function<int(int)>()));
  EXPECT_FALSE(takes(&of_int));
  EXPECT_FALSE(takes(blk::of<std::string>([](const std::string& s) { return s; })));
  EXPECT_FALSE(takes(blk::one_hot({"c", "h"})));
  EXPECT_FALSE(takes(blk::scalar()));
  const auto loss = [](Expr, int) { return 1; };
  EXPECT_FALSE((takes<decltype(loss), std::tuple<Expr, const Json&>>(loss)));
  EXPECT_TRUE((takes<decltype(loss), std::tuple<Expr, int>>(loss)));
}

TEST(JsonTypes, NothingIsConvertedToIt) {
  EXPECT_FALSE((takes<JsonBlock, const std::string&>(number())));
  EXPECT_FALSE((takes<JsonBlock, int>(number())));
  EXPECT_FALSE((takes<JsonBlock, const Json::array_t&>(number())));
  EXPECT_TRUE((takes<JsonBlock, Json>(number())));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::json
