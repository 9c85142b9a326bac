// A program as text and back is the same program, and computes the same.
#include "laws/op_law.h"

#include "cell/passes.h"

namespace espalier::test {
namespace {

class Print : public OpLaw {};
TEST_P(Print, comes_back) {
  each_way([](Given given) {
    OpCell cell(GetParam(), given);
    const std::string text = print(*cell.program()), key = key_of(*cell.program());
    std::vector<std::shared_ptr<Slot>> slots;
    for (const Parameter& p : cell.parameters()) slots.push_back(p.slot());
    Program again = parse_program(text, slots);
    compile(again);
    EXPECT_EQ(print(again), text);
    EXPECT_EQ(key_of(again), key);
    EXPECT_EQ(again.name, cell.program()->name);

    const std::vector<Arguments> calls = some_calls(cell, 3);
    const Outcome before = run_together(on(Device::cpu()), cell, calls);
    cell.replace(std::move(again));
    EXPECT_EQ(differences(run_together(on(Device::cpu()), cell, calls), before, 0), "") << "the same bits";
  });
}
ESPALIER_LAW_OVER_OPS(Print);

}  // namespace
}  // namespace espalier::test
