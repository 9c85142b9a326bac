// For every rule: training that is saved and resumed in new objects equals uninterrupted training bit for bit.
#include <gtest/gtest.h>
#include <espalier/io/checkpoint.h>

#include "io/folder.h"
#include "optim/cases.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

struct Model {
  Parameters params;
  std::vector<Parameter> all;
  explicit Model(uint64_t seed)
      : params(seed),
        all{Scope(params).add("weight", {3, 5}), Scope(params).add_lookup("words", 20, {7}),
            Scope(params).add("late", {2})} {}
  std::vector<std::vector<float>> values() const {
    std::vector<std::vector<float>> found;
    for (const Parameter& p : all) found.push_back(p.value().to_vector());
    return found;
  }
};

// Training with a schedule by steps, a group, and a ReduceLROnPlateau on a synthetic metric.
struct Training {
  Model model;
  Optimizer opt;
  ReduceLROnPlateau plateau{1, {.factor = 0.5f, .patience = 1}};

  Training(const Textbook& textbook, uint64_t seed) : model(seed), opt(optimizer(model.params, textbook)) {
    opt.set_schedule(WarmUp(10, CosineAnnealingLR(opt.lr(), 60)));
    opt.group("words", 0.1f, 0.f);
  }
  void train(uint64_t from, uint64_t to) {
    for (uint64_t step = from; step < to; ++step) {
      Chance chance(step);
      Given given;
      for (const Parameter& p : model.all)
        if (p.name() != "late" || step >= 40) chance.give(given, p);
      opt.step(given.get());
      if (step % 5 == 4) opt.group("weight", plateau.step(static_cast<double>(chance.number())));
    }
  }
};

class ResumeRules : public testing::TestWithParam<Case> {};

TEST_P(ResumeRules, GivesTheSameBits) {
  const io::Folder folder;
  Training through(GetParam().textbook, 1), first(GetParam().textbook, 1), second(GetParam().textbook, 99);
  through.train(0, 60);
  first.train(0, 25);
  io::save(folder / "c", {&first.model.params, &first.opt, nullptr, {{"plateau", first.plateau.to_string()}}});
  const io::Meta meta = io::load(folder / "c", {&second.model.params, &second.opt});
  second.plateau.from_string(meta.at("plateau"));
  second.opt.group("weight", second.plateau.lr());
  second.train(25, 60);
  EXPECT_EQ(second.model.values(), through.model.values());
  EXPECT_EQ(second.opt.lr(), through.opt.lr());
  EXPECT_EQ(second.plateau.to_string(), through.plateau.to_string());
  EXPECT_LT(through.plateau.lr(), 1);
}
INSTANTIATE_TEST_SUITE_P(All, ResumeRules, testing::ValuesIn(cases),
                         [](const auto& chosen) { return chosen.param.name; });

// The variants of one rule differ in the tensors they keep.
TEST(ResumeVariants, AMissingMomentIsNamed) {
  const io::Folder folder;
  Parameters params;
  const Parameter p = Scope(params).add("p", {1});
  Adam plain(params), amsgrad(params, {.amsgrad = true});
  plain.step(Given().dense(p, {1}).get());
  io::save(folder / "c", {&params, &plain});
  EXPECT_EQ(io::message<DataError>([&] { io::load(folder / "c", {&params, &amsgrad}); }),
            (folder / "c") + ": does not match: 1 tensor is missing: 'adam.v_max/p'; strict false loads what matches");
  EXPECT_EQ(amsgrad.steps(), 0u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
