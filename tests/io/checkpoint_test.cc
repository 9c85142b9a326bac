// Checkpoints: resumed training continues bit for bit; mismatches are named and change nothing.
#include <espalier/io/checkpoint.h>

#include <memory>

#include <gtest/gtest.h>
#include <espalier/io/safetensors.h>
#include <espalier/optim/optimizer.h>

#include "io/folder.h"
#include "optim/state.h"
#include "optim/textbook.h"

namespace espalier::io {
namespace ESPALIER_FILE {

using optim::Optimizer;

struct Model {
  Parameters params;
  Parameter weight, bias;
  Lookup words;
  explicit Model(uint64_t seed, int hidden = 3)
      : params(seed),
        weight((params / "out").add("weight", {2, hidden})),
        bias((params / "out").add("bias", {2}, init::uniform(-1, 1))),
        words((params / "words").add_lookup("weight", 20, {hidden})) {}
  std::vector<std::vector<float>> values() const {
    return {weight.value().to_vector(), bias.value().to_vector(), words.value().to_vector()};
  }
};

void train(const Model& model, Optimizer opt, int from, int to) {
  for (int step = from; step < to; ++step) {
    optim::Chance chance(static_cast<uint64_t>(step));
    optim::Given given;
    for (const Parameter& p : {model.weight, model.bias, static_cast<Parameter>(model.words)}) chance.give(given, p);
    opt.step(given.get());
    if (step % 10 == 9) opt.set_lr(opt.lr() * 0.7f);
  }
}

using Make = Optimizer (*)(Parameters&);
const std::pair<const char*, Make> makers[] = {
    {"sgd", [](Parameters& p) -> Optimizer { return optim::SGD(p); }},
    {"momentum", [](Parameters& p) -> Optimizer { return optim::SGD(p, {.lr = 0.01f, .momentum = 0.9f}); }},
    {"adam",
     [](Parameters& p) -> Optimizer { return optim::Adam(p, {.lr = 0.01f, .weight_decay = 0.1f, .clip_norm = 1}); }},
    {"adamw", [](Parameters& p) -> Optimizer { return optim::AdamW(p, {.lr = 0.01f, .weight_decay = 0.1f}); }},
};

class Steps : public testing::TestWithParam<std::pair<const char*, Make>> {};

TEST_P(Steps, ResumedGiveTheSameBits) {
  const Folder folder;
  const auto make = GetParam().second;
  Model through(1), first(1), second(99);
  Optimizer through_opt = make(through.params), first_opt = make(first.params), second_opt = make(second.params);
  train(through, through_opt, 0, 60);

  train(first, first_opt, 0, 25);
  save(folder / "c", {&first.params, &first_opt, nullptr, {{"epoch", "7"}}});
  train(second, second_opt, 0, 3);  // previous state must not affect the result
  EXPECT_EQ(load(folder / "c", {&second.params, &second_opt}), (Meta{{"epoch", "7"}}));
  EXPECT_EQ(second_opt.state().steps(), 25u);
  EXPECT_EQ(second_opt.lr(), first_opt.lr());
  train(second, second_opt, 25, 60);
  EXPECT_EQ(second.values(), through.values());
}
INSTANTIATE_TEST_SUITE_P(All, Steps, testing::ValuesIn(makers), [](const auto& chosen) { return chosen.param.first; });

TEST(Checkpoint, HoldsParametersAndStateByName) {
  const Folder folder;
  Model model(1);
  optim::Adam opt(model.params, {.lr = 0.001f});
  const Parameter unused = Scope(model.params).add("unused", {1});
  train(model, opt, 0, 2);
  save(folder / "c", {&model.params, &opt, nullptr, {{"labels", "yes no"}}});
  const File file = File::read(folder / "c");
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"adam.m/out.bias", "adam.m/out.weight", "adam.m/words.weight",
                                             "adam.v/out.bias", "adam.v/out.weight", "adam.v/words.weight", "out.bias",
                                             "out.weight", "unused", "words.weight"}));
  EXPECT_EQ(file.tensors.at("out.weight").to_vector(), model.weight.value().to_vector());
  EXPECT_EQ(file.tensors.at("adam.v/words.weight").shape(), (Shape{20, 3}));
  EXPECT_EQ(file.meta, (Meta{{"espalier.optimizer.lr", "0.001"},
                             {"espalier.optimizer.rule", "adam"},
                             {"espalier.optimizer.step", "2"},
                             {"espalier.parameters.seed", "1"},
                             {"labels", "yes no"}}));
}

TEST(Checkpoint, PartsAreLeftOut) {
  const Folder folder;
  Model model(1), other(2);
  optim::Adam opt(model.params);
  train(model, opt, 0, 3);
  save(folder / "all", {&model.params, &opt, nullptr, {{"size", "3"}}});
  EXPECT_EQ(load(folder / "all", {}), (Meta{{"size", "3"}}));  // enough to create a model
  load(folder / "all", {&other.params});  // for prediction: the optimiser's state in the file is ignored
  EXPECT_EQ(other.values(), model.values());
  Model third(3);
  optim::Adam third_opt(third.params);
  load(folder / "all", {nullptr, &third_opt});
  EXPECT_EQ(third_opt.state().steps(), 3u);
  EXPECT_EQ(third.values(), Model(3).values());
  save(folder / "none", {});
  EXPECT_EQ(load(folder / "none", {}), Meta{});
}

// Loads into a model that has trained a little and returns the error message; nothing may have changed.
struct Attempt {
  Model model{5};
  optim::Adam opt{model.params};
  Attempt() { train(model, opt, 0, 4); }
  std::string load_into(const std::string& path) {
    std::vector<float> moments, after;
    const auto collect = [&](std::vector<float>& to) {
      opt.state().visit(
          [&](const std::string&, const Shape&, const float* data, size_t n) { to.insert(to.end(), data, data + n); });
    };
    collect(moments);
    const auto values = model.values();
    const std::string said = message<DataError>([&] { load(path, {&model.params, &opt}); });
    collect(after);
    EXPECT_EQ(model.values(), values);
    EXPECT_EQ(after, moments);
    EXPECT_EQ(opt.state().steps(), 4u);
    EXPECT_EQ(opt.lr(), 1e-3f);
    return said;
  }
};

File trained_file(const Folder& folder) {
  Model model(1);
  optim::Adam opt(model.params);
  train(model, opt, 0, 2);
  save(folder / "whole", {&model.params, &opt, nullptr, {{"epoch", "7"}}});
  return File::read(folder / "whole");
}

constexpr const char* hint = "; strict false loads what matches";

TEST(CheckpointErrors, NameWhatDoesNotFit) {
  const Folder folder;
  const std::string path = folder / "c";
  const File whole = trained_file(folder);
  const auto said = [&](auto change) {
    File file = whole;
    change(file);
    file.write(path);
    return Attempt().load_into(path);
  };
  EXPECT_EQ(said([](File& f) { f.tensors.erase("out.bias"); }),
            path + ": does not match: 1 tensor is missing: 'out.bias'" + hint);
  EXPECT_EQ(said([](File& f) { f.tensors["head"] = {{1}, {1}}; }),
            path + ": does not match: 1 tensor has no parameter: 'head'" + hint);
  EXPECT_EQ(said([](File& f) { f.tensors["out.bias"] = {{1}, {1}}; }),
            path + ": does not match: 1 tensor has another shape: 'out.bias' is [1] in the file, [2] here" + hint);
  EXPECT_EQ(said([](File& f) { f.tensors.erase("adam.v/words.weight"); }),
            path + ": does not match: 1 tensor is missing: 'adam.v/words.weight'" + hint);
  EXPECT_EQ(said([](File& f) { f.tensors["adam.m/head"] = {{1}, {1}}; }),
            path + ": does not match: 1 tensor has no parameter: 'adam.m/head'" + hint);
  EXPECT_EQ(
      said([](File& f) { f.tensors["adam.m/out.bias"] = {{}, {1}}; }),
      path + ": does not match: 1 tensor has another shape: 'adam.m/out.bias' is [] in the file, [2] here" + hint);
  EXPECT_EQ(
      said([](File& f) {
        f.tensors.erase("out.bias");
        f.tensors["out.weight"] = {{1}, {1}};
        for (int i = 0; i < 9; ++i) f.tensors["h" + std::to_string(i)] = {{}, {1}};
      }),
      path +
          ": does not match: 1 tensor is missing: 'out.bias'; 9 tensors have no parameter: 'h0', 'h1', 'h2', 'h3', "
          "…; 1 tensor has another shape: 'out.weight' is [1] in the file, [2,3] here" +
          hint);
}

TEST(CheckpointErrors, TheOptimiserMustBeTheSame) {
  const Folder folder;
  const std::string path = folder / "c";
  Model model(1);
  optim::SGD sgd(model.params, {.momentum = 0.5f});
  save(path, {&model.params});
  EXPECT_EQ(Attempt().load_into(path), path + ": does not match: it contains no optimiser" + hint);
  train(model, sgd, 0, 1);
  save(path, {&model.params, &sgd});
  EXPECT_EQ(Attempt().load_into(path),
            path + ": does not match: it contains the state of the optimiser 'sgd', not of adam" + hint);
  optim::SGD plain(model.params);
  EXPECT_EQ(message<DataError>([&] { load(path, {nullptr, &plain}); }),
            path +
                ": does not match: 3 tensors have no parameter: 'sgd.momentum/out.bias', 'sgd.momentum/out.weight', "
                "'sgd.momentum/words.weight'" +
                hint);
}

TEST(CheckpointErrors, SettingsOfTheOptimiserAreChecked) {
  const Folder folder;
  const std::string path = folder / "c";
  const File whole = trained_file(folder);
  const auto said = [&](const char* key, const char* value) {
    File file = whole;
    file.meta[std::string("espalier.optimizer.") + key] = value;
    if (!*value) file.meta.erase(std::string("espalier.optimizer.") + key);
    file.write(path);
    return Attempt().load_into(path);
  };
  const std::string step = path + ": espalier.optimizer.step is ", lr = path + ": espalier.optimizer.lr is ",
                    needed = "; a number of at least 0 is needed";
  EXPECT_EQ(said("step", ""), step + "''" + needed);
  EXPECT_EQ(said("step", "-1"), step + "'-1'" + needed);
  EXPECT_EQ(said("step", "7 "), step + "'7 '" + needed);
  EXPECT_EQ(said("step", "99999999999999999999"), step + "'99999999999999999999'" + needed);
  for (const char* bad : {"nan", "inf", "-0.1", "fast", "1e99", ""})
    EXPECT_EQ(said("lr", bad), lr + "'" + bad + "'" + needed);
}

TEST(CheckpointErrors, SavingRefusesNamesOfItsOwn) {
  const Folder folder;
  Model model(1);
  EXPECT_EQ(message<DataError>([&] { save(folder / "c", {&model.params, nullptr, nullptr, {{"espalier.x", "1"}}}); }),
            (folder / "c") + ": metadata key 'espalier.x' is reserved; keys must not begin with 'espalier.'");
  optim::Adam opt(model.params);
  const Parameter odd = Scope(model.params).add("adam.m/x", {1});
  EXPECT_EQ(message<DataError>([&] { save(folder / "c", {&model.params, &opt}); }),
            (folder / "c") + ": parameter 'adam.m/x' has a name that is reserved for the optimiser's state");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Checkpoint, WithoutStrictWhatFitsIsLoaded) {
  const Folder folder;
  File file = trained_file(folder);
  file.tensors.erase("words.weight");
  file.tensors["out.weight"] = {{1}, {1}};
  file.tensors["head"] = {{1}, {1}};
  file.tensors.erase("adam.v/out.bias");  // only one of its two moments: neither is loaded
  file.write(folder / "c");
  Model model(9);
  optim::Adam opt(model.params);
  const Loaded loaded = load(folder / "c", {&model.params, &opt}, false);
  EXPECT_EQ(static_cast<const Meta&>(loaded), (Meta{{"epoch", "7"}}));
  using Names = std::vector<std::string>;
  EXPECT_EQ(loaded.missing, (Names{"words.weight", "adam.v/out.bias"}));
  EXPECT_EQ(loaded.unexpected, (Names{"head"}));
  EXPECT_EQ(loaded.misshapen, (Names{"out.weight"}));
  EXPECT_EQ(model.values(), (std::vector<std::vector<float>>{Model(9).values()[0], file.tensors["out.bias"].to_vector(),
                                                             Model(9).values()[2]}));
  EXPECT_EQ(opt.state().steps(), 2u);
  std::vector<std::string> names;
  opt.state().visit([&](const std::string& name, const Shape&, const float*, size_t) { names.push_back(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"adam.m/out.weight", "adam.v/out.weight", "adam.m/words.weight",
                                             "adam.v/words.weight"}));
  // If the file has another optimiser or none, the optimiser's state is unchanged.
  optim::SGD sgd(model.params);
  load(folder / "c", {&model.params, &sgd}, false);
  EXPECT_EQ(sgd.state().steps(), 0u);
}

TEST(Checkpoint, ExtraTensorsMayHoldAnythingWithoutStrict) {
  const Folder folder;
  Parameters params;
  const Parameter a = Scope(params).add("a", {1});
  put_bytes(folder / "c", file_of(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[8,10]},)"
                                  R"("batches":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})",
                                  raw<int64_t>({5}) + raw<uint16_t>({0x3c00})));
  load(folder / "c", {&params}, false);
  EXPECT_EQ(a.value().item(), 1);
}

TEST(Checkpoint, BrokenFilesChangeNothing) {
  const Folder folder;
  trained_file(folder);
  const std::string bytes = bytes_of(folder / "whole");
  Attempt attempt;
  for (size_t length = 0; length < bytes.size(); length += 7) {
    put_bytes(folder / "cut", bytes.substr(0, length));
    EXPECT_NE(attempt.load_into(folder / "cut"), "nothing was thrown") << length;
  }
}

TEST(Checkpoint, HoldsWhatWasTrainedWhenTheModelIsGone) {
  const Folder folder;
  Parameters params(1);
  {
    const Parameter weight = Scope(params).add("weight", {2});
    const Lookup words = Scope(params).add_lookup("words", 3, {2});
    optim::SGD(params, {.lr = 1}).step(optim::Given().dense(weight, {1, 2}).rows(words, {1}, {3, 4}).get());
  }
  save(folder / "c", {&params});
  EXPECT_EQ(File::read(folder / "c").tensors.size(), 2u);
  Parameters again(2);
  const Parameter weight = Scope(again).add("weight", {2});
  const Lookup words = Scope(again).add_lookup("words", 3, {2});
  load(folder / "c", {&again});
  EXPECT_EQ(weight.value().to_vector(), params["weight"].value().to_vector());
  EXPECT_EQ(words.value().to_vector(), params["words"].value().to_vector());
}

TEST(Checkpoint, OfNoParameterIsAnError) {
  const Folder folder;
  Parameters params;
  EXPECT_EQ(message<DataError>([&] { save(folder / "c", {&params}); }),
            folder / "c" + ": there are no parameters; create the model before saving it");
  EXPECT_THROW(File::read(folder / "c"), DataError) << "nothing is written";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
