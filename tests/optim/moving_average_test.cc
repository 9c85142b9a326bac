// Moving averages against the recurrence, swapped in and out, saved and restored.
#include <espalier/optim/moving_average.h>

#include <gtest/gtest.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>

#include "io/folder.h"
#include "optim/textbook.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

using io::message;

struct Model {
  Parameters params;
  std::vector<Parameter> all;
  SGD opt;
  explicit Model(uint64_t seed = 1)
      : params(seed),
        all{Scope(params).add("weight", {5, 7}), Scope(params).add_lookup("words", 40, {3})},
        opt(params, {.lr = 0.05f}) {}
  Gradients gradients(uint64_t n) const {
    Chance chance(n);
    Given given;
    for (const Parameter& p : all) chance.give(given, p);
    return given.get();
  }
  void step(uint64_t n) { opt.step(gradients(n)); }
  std::vector<std::vector<float>> values() const {
    std::vector<std::vector<float>> found;
    for (const Parameter& p : all) found.push_back(p.value().to_vector());
    return found;
  }
};

TEST(MovingAverage, FollowsTheRecurrence) {
  Model model;
  MovingAverage average(model.params, 0.96875f);
  std::map<std::string, std::vector<double>> want;
  for (const Parameter& p : model.all) {
    const Tensor start = p.value();
    want[p.name()] = {start.begin(), start.end()};
  }
  for (uint64_t n = 0; n < 300; ++n) {
    model.step(n);
    average.update();
    for (const Parameter& p : model.all)
      for (size_t i = 0; i < want[p.name()].size(); ++i) {
        double& mean = want[p.name()][i];
        mean = 0.96875 * mean + 0.03125 * double(p.value()[i]);
      }
  }
  const auto got = average.tensors();
  ASSERT_EQ(got.size(), 2u);
  for (const Parameter& p : model.all) {
    EXPECT_EQ(got.at(p.name()).shape(), p.shape());
    for (size_t i = 0; i < want[p.name()].size(); ++i)
      ASSERT_NEAR(double(got.at(p.name())[i]), want[p.name()][i], 1e-5) << p.name() << " " << i;
  }
}

TEST(MovingAverage, AStepIsTheOptimisersAndAnUpdateToTheSameBits) {
  Model model, lazy_model;
  MovingAverage average(model.params, 0.9f), lazy(lazy_model.params, 0.9f);
  for (uint64_t n = 0; n < 300; ++n) {
    if (n == 70)
      for (Model* m : {&model, &lazy_model}) m->all.push_back(Scope(m->params).add_lookup("late", 30, {}));
    model.step(n);
    average.update();
    lazy.step(lazy_model.opt, lazy_model.gradients(n));
    if (n % 100 == 40) {
      lazy.swap_in();
      EXPECT_EQ(lazy_model.values()[1], average.tensors().at("words").to_vector());
      lazy.swap_out();
    }
  }
  const auto want = average.tensors(), got = lazy.tensors();
  EXPECT_EQ(lazy_model.values(), model.values());
  ASSERT_EQ(got.size(), 3u);
  for (const auto& [name, tensor] : want) EXPECT_EQ(got.at(name).to_vector(), tensor.to_vector()) << name;
}

TEST(MovingAverage, AStepTouchesOnlyTheRowsInTheGradient) {
  Parameters params;
  const Lookup table = Scope(params).add_lookup("t", 3, {1}, init::constant(0));
  SGD opt(params, {.lr = 1});
  MovingAverage average(params, 0.5f);
  average.step(opt, Given().rows(table, {0, 1}, {8, 8}).get());  // values -8 -8 0, averages -4 -4 0
  average.step(opt, Given().rows(table, {1}, {0}).get());        // averages (-6) -6 (0)
  table.storage()->data.host_to_write()[0] = 4;  // not allowed, but shows which rows are caught up later
  EXPECT_EQ(average.tensors().at("t").to_vector(), (std::vector<float>{0, -6, 0}));
}

TEST(MovingAverage, IsSwappedInAndBackToTheSameBits) {
  Model model;
  MovingAverage average(model.params, 0.9f);
  for (uint64_t n = 0; n < 20; ++n) model.step(n), average.update();
  const auto values = model.values();
  const auto averages = average.tensors();
  average.swap_in();
  EXPECT_EQ(model.all[0].value().to_vector(), averages.at("weight").to_vector());
  EXPECT_EQ(model.all[1].value().to_vector(), averages.at("words").to_vector());
  EXPECT_NE(model.values(), values);
  EXPECT_EQ(average.tensors().at("words").to_vector(), averages.at("words").to_vector());
  MovingAverage copy = average;
  copy.swap_out();
  EXPECT_EQ(model.values(), values);
  EXPECT_EQ(average.tensors().at("words").to_vector(), averages.at("words").to_vector());
}

TEST(MovingAverage, GoesOnFromAFileAndTheFileLoadsAsParameters) {
  const io::Folder folder;
  Model through, first, second(9), reader(10);
  MovingAverage through_average(through.params), first_average(first.params), second_average(second.params);
  for (uint64_t n = 0; n < 60; ++n) through.step(n), through_average.update();
  for (uint64_t n = 0; n < 25; ++n) first.step(n), first_average.update();
  io::save(folder / "c", {&first.params, &first.opt});
  io::File{first_average.tensors(), {}}.write(folder / "average");
  io::load(folder / "c", {&second.params, &second.opt});
  second_average.restore(io::File::read(folder / "average").tensors);
  for (uint64_t n = 25; n < 60; ++n) second_average.step(second.opt, second.gradients(n));
  for (const char* name : {"weight", "words"})
    EXPECT_EQ(second_average.tensors().at(name).to_vector(), through_average.tensors().at(name).to_vector());
  io::load(folder / "average", {&reader.params});
  EXPECT_EQ(reader.all[1].value().to_vector(), first_average.tensors().at("words").to_vector());
}

TEST(MovingAverage, MeetsParametersWhenTheyAreMade) {
  Parameters params;
  MovingAverage average(params, 0.5f);
  Parameter late = Scope(params).add("late", {1}, init::constant(4));
  EXPECT_EQ(average.tensors().at("late").item(), 4) << "what is saved has every parameter";
  average.update();
  EXPECT_EQ(average.tensors().at("late").item(), 4);
  late.assign({{1}, {8}});
  average.update();
  EXPECT_EQ(average.tensors().at("late").item(), 6);
  late = Scope(params).add("later", {1}, init::constant(2));  // the Parameters still hold the first one
  average.update();
  EXPECT_EQ(average.tensors().size(), 2u);
  EXPECT_EQ(average.tensors().at("later").item(), 2);
}

TEST(MovingAverageErrors, SayWhatIsNeededAndChangeNothing) {
  Model model;
  EXPECT_EQ(message<Error>([&] { MovingAverage(model.params, 1); }),
            "moving average: decay is 1; it must be at least 0 and below 1");
  MovingAverage average(model.params, 0.5f);
  model.step(0);
  average.update();
  const auto before = average.tensors();
  const auto said = [&](auto change) {
    auto tensors = before;
    for (auto& [name, t] : tensors) t = {t.shape(), std::vector<float>(t.size())};
    change(tensors);
    const std::string text = message<Error>([&] { average.restore(tensors); });
    for (const auto& [name, t] : average.tensors()) EXPECT_EQ(t.to_vector(), before.at(name).to_vector());
    return text;
  };
  EXPECT_EQ(said([](auto& t) { t.erase("words"); }),
            "moving average: tensor 'words' is missing; restore needs one for each parameter");
  EXPECT_EQ(said([](auto& t) { t["head"] = {{1}, {1}}; }), "moving average: tensor 'head' has no parameter");
  EXPECT_EQ(said([](auto& t) { t["weight"] = {{7, 5}, std::vector<float>(35)}; }),
            "moving average: 'weight' is [5,7] and a tensor [7,5] is given; the shapes must be equal");
  EXPECT_EQ(message<Error>([&] { average.swap_out(); }),
            "moving average: swap_out was called without swap_in; the averages are not swapped in");
  average.swap_in();
  EXPECT_EQ(message<Error>([&] { average.swap_in(); }),
            "moving average: swap_in was called twice; the averages are already swapped in");
  EXPECT_EQ(message<Error>([&] { average.update(); }),
            "moving average: update was called while the averages are swapped in; call swap_out first");
  EXPECT_EQ(message<Error>([&] { average.step(model.opt, model.gradients(1)); }),
            "moving average: step was called while the averages are swapped in; call swap_out first");
  EXPECT_EQ(message<Error>([&] { average.restore(before); }),
            "moving average: restore was called while the averages are swapped in; call swap_out first");
  average.swap_out();
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
