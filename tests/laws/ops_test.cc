// Every law on every sample of every op, on every device: laws.gradient/elu/1/cpu. No op and no law is named here.
#include <gtest/gtest.h>

#include "law/op/laws.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Holds : public testing::Test {
 public:
  explicit Holds(std::function<std::string()> broken) : broken_(std::move(broken)) {}
  void TestBody() override { EXPECT_EQ(broken_(), ""); }

 private:
  std::function<std::string()> broken_;
};

void add(const std::string& name, const std::function<std::string()>& broken) {
  testing::RegisterTest("laws", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [broken]() -> testing::Test* { return new Holds(broken); });
}

// The laws also run on a GPU; without one, this test reports the reason.
TEST(Devices, Cuda) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(compared_devices().back(), Device::cuda());
}

const bool added = [] {
  each_law(op_cases(), [](const std::string& name, const OpLaw& law, const OpCase& c, Device device) {
    add(name, [&law, &c, device] { return law.broken(c, device); });
  });
  for (const OpInfo* op : op_table()) {
    size_t number = 0;
    for (const Reject& reject : op->rejects())
      add("refuses/" + std::string(op->doc.name) + "/" + std::to_string(number++),
          [op, reject] { return refusal_broken(*op, reject); });
  }
  return true;
}();

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
