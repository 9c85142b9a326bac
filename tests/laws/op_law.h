// Laws over every sample of every op in the table: TEST_P(Gradient, …) runs as Gradient.…/elu_1.
#pragma once
#include <gtest/gtest.h>

#include "support/op_cell.h"

namespace espalier::test {

class OpLaw : public testing::TestWithParam<OpCase> {
 protected:
  // f for each way in which the op can be given its rows.
  template <class F>
  static void each_way(F&& f) {
    for (Given given : ways(*GetParam().op)) {
      SCOPED_TRACE(std::string(name(given)));
      f(given);
    }
  }
  static std::vector<Arguments> some_calls(const OpCell& cell, uint64_t n) {
    std::vector<Arguments> calls;
    for (uint64_t i = 0; i < n; ++i) calls.push_back(cell.arguments(i));
    return calls;
  }
};

inline std::string case_name(const testing::TestParamInfo<OpCase>& info) { return name(info.param); }

inline EngineOptions on(Device device, Policy policy = Policy::automatic) {
  EngineOptions o;
  o.device = device;
  o.policy = policy;
  o.poison = true;
  return o;
}

}  // namespace espalier::test

// A law is a fixture derived from OpLaw, named here.
#define ESPALIER_LAW_OVER_OPS(Law) \
  INSTANTIATE_TEST_SUITE_P(, Law, testing::ValuesIn(::espalier::test::op_cases()), ::espalier::test::case_name)
