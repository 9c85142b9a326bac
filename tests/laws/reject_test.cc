// What an op refuses, it refuses in the words of its declaration.
#include "laws/op_law.h"

namespace espalier::test {
namespace {

struct RejectCase {
  const OpInfo* op;
  size_t number;
  Reject reject;
};
std::vector<RejectCase> reject_cases() {
  std::vector<RejectCase> cases;
  for (const OpInfo* op : op_table()) {
    size_t number = 0;
    for (const Reject& reject : op->rejects()) cases.push_back({op, number++, reject});
  }
  return cases;
}

class Rejects : public testing::TestWithParam<RejectCase> {};
TEST_P(Rejects, in_its_own_words) {
  const auto& [op, number, reject] = GetParam();
  for (Given given : ways(*op)) {
    SCOPED_TRACE(std::string(name(given)));
    try {
      const OpCell cell(*op, reject.attrs, reject.shapes, given);
      ADD_FAILURE() << "it is taken, and gives " << str(cell.inferred());
    } catch (const ShapeError& e) {
      EXPECT_EQ(e.what(), std::string(reject.message));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, Rejects, testing::ValuesIn(reject_cases()), [](const auto& c) {
  return std::string(c.param.op->doc.name) + "_" + std::to_string(c.param.number);
});

class Declaration : public OpLaw {};
TEST_P(Declaration, is_complete) {
  const OpInfo& op = *GetParam().op;
  EXPECT_FALSE(op.doc.text.empty());
  EXPECT_FALSE(op.doc.math.empty());
  EXPECT_GT(op.tolerance, 0);
  EXPECT_EQ(find_op(op.doc.name), &op);
  for (const Input& in : op.inputs) {
    EXPECT_FALSE(in.name.empty());
    EXPECT_TRUE(in.role != Role::index || op.index_limit != nullptr) << in.name << " has no limit";
  }
}
ESPALIER_LAW_OVER_OPS(Declaration);

}  // namespace
}  // namespace espalier::test
