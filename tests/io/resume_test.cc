// Training stopped in the middle of an epoch and resumed in other objects equals uninterrupted training bit for bit:
// with dropout, a table, Adam, and parameters created during training.
#include <gtest/gtest.h>
#include <espalier/engine/engine.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>
#include <espalier/nn/modules.h>
#include <espalier/optim/moving_average.h>
#include <espalier/optim/optimizer.h>
#include <espalier/train/minibatches.h>

#include "io/folder.h"

namespace espalier::io {
namespace ESPALIER_FILE {

struct Training {
  Parameters params;
  Engine engine;
  nn::Embedding words{params / "words", 30, 4};
  nn::LSTM lstm{params / "lstm", 4, 5};
  nn::Linear out{params / "out", 5, 3};
  optim::Adam adam;
  optim::MovingAverage average{params, 0.9f};
  Position position;

  explicit Training(uint64_t seed, float lr) : params(seed), engine({.seed = seed + 1}), adam(params, {.lr = lr}) {}

  void until(Position end) {
    while (!(position == end)) {
      const auto minibatches = train::minibatches(20, 6, engine.seed(), position.epoch);
      step(minibatches[position.minibatch]);
      if (++position.minibatch == minibatches.size()) {
        ++position.epoch;
        position.minibatch = 0;
        adam.set_lr(adam.lr() * 0.9f);
      }
    }
  }
  void step(const Minibatch& minibatch) {
    const auto batch = engine.record(minibatch, [&](Graph& g, uint64_t id) {
      nn::State s;
      for (uint64_t i = 0; i <= id % 4; ++i) s = lstm(dropout(words(g, static_cast<int>(id * 7 + i) % 30), 0.3f), s);
      return cross_entropy(out(dropout(s.h, 0.5f)), static_cast<int>(id % 3));
    });
    average.step(adam, engine.backward(batch.results));
  }
  std::vector<std::vector<float>> values() const {
    std::vector<std::vector<float>> all;
    for (const Parameter& p : params.all()) all.push_back(p.value().to_vector());
    return all;
  }
  Checkpoint checkpoint() { return {&params, &adam, &engine, {}, &position, &average}; }
};

TEST(Resume, InFreshObjectsGivesTheSameBits) {
  const Folder folder;
  Training through(1, 0.02f);
  through.until({3, 1});

  {
    Training first(1, 0.02f);
    first.until({1, 2});
    save(folder / "c", first.checkpoint());
  }
  Training second(70, 0.5f);
  second.until({0, 3});  // previous state must not affect the result
  load(folder / "c", second.checkpoint());
  EXPECT_EQ(second.position, (Position{1, 2}));
  EXPECT_EQ(second.engine.seed(), 2u);
  second.until({3, 1});
  EXPECT_EQ(second.values(), through.values());
  second.average.swap_in();
  through.average.swap_in();
  EXPECT_EQ(second.values(), through.values());
  // Loading while averages are swapped in fails and changes nothing.
  EXPECT_THROW(load(folder / "c", second.checkpoint()), Error);
  EXPECT_EQ(message<Error>([&] { save(folder / "d", second.checkpoint()); }),
            (folder / "d") + ": the moving averages are swapped in; call swap_out before save");
  EXPECT_EQ(second.values(), through.values());
  second.average.swap_out();
  through.average.swap_out();
  // A parameter created later starts with the same values, too.
  EXPECT_EQ((second.params / "late").add("weight", {3, 3}).value().to_vector(),
            (through.params / "late").add("weight", {3, 3}).value().to_vector());

  // Each part matters: without the engine's seed, dropout differs; without the position, the examples differ.
  for (const bool with_engine : {false, true}) {
    Training part(70, 0.5f);
    Checkpoint some = part.checkpoint();
    if (!with_engine) some.engine = nullptr;
    load(folder / "c", some);
    if (with_engine) part.position.minibatch = 1;
    part.until({3, 1});
    EXPECT_NE(part.values(), through.values());
  }
}

TEST(Resume, SeedsAndPositionAreInTheMetadata) {
  const Folder folder;
  Parameters params(UINT64_MAX);
  const Parameter weight = Scope(params).add("weight", {2});  // a file without parameters is rejected
  Engine engine({.seed = UINT64_MAX - 1});
  Position position{7, 1u << 31};
  save(folder / "c", {&params, nullptr, &engine, {{"a", "b"}}, &position});
  EXPECT_EQ(File::read(folder / "c").meta, (Meta{{"a", "b"},
                                                 {"espalier.engine.seed", "18446744073709551614"},
                                                 {"espalier.parameters.seed", "18446744073709551615"},
                                                 {"espalier.position.epoch", "7"},
                                                 {"espalier.position.minibatch", "2147483648"}}));
  Parameters other;
  const Parameter loaded = Scope(other).add("weight", {2});
  Engine other_engine;
  Position other_position;
  EXPECT_EQ(load(folder / "c", {&other, nullptr, &other_engine, {}, &other_position}), (Meta{{"a", "b"}}));
  EXPECT_EQ(other_engine.seed(), UINT64_MAX - 1);
  EXPECT_EQ(other_position, position);
}

TEST(Resume, WithoutAnEngineOrAPositionItIsSaidAndNothingChanges) {
  const Folder folder;
  const std::string path = folder / "c", hint = "; strict false loads what matches";
  Training training(1, 0.02f);
  training.until({0, 2});
  save(path, {&training.params, &training.adam});
  Training other(5, 0.1f);
  other.until({0, 1});
  const auto before = other.values();
  const auto said = [&](const Checkpoint& what) { return message<DataError>([&] { load(path, what); }); };
  EXPECT_EQ(
      said(other.checkpoint()),
      path + ": does not match: it contains no engine; it contains no position; it contains no moving averages" + hint);
  save(path, training.checkpoint());
  File file = File::read(path);
  for (const char* key : {"engine.seed", "parameters.seed", "position.epoch", "position.minibatch"}) {
    File broken = file;
    broken.meta[std::string("espalier.") + key] = "-1";
    broken.write(path);
    EXPECT_EQ(said(other.checkpoint()), path + ": espalier." + key + " is '-1'; a number of at least 0 is needed");
  }
  file.meta.erase("espalier.position.minibatch");
  file.write(path);
  EXPECT_EQ(said(other.checkpoint()), path + ": espalier.position.minibatch is ''; a number of at least 0 is needed");
  EXPECT_EQ(other.values(), before);
  EXPECT_EQ(other.engine.seed(), 6u);
  EXPECT_EQ(other.position, (Position{0, 1}));
  EXPECT_EQ((other.params / "late").add("weight", {3}).value().to_vector(),
            (Training(5, 0).params / "late").add("weight", {3}).value().to_vector());
  // If not strict, the engine keeps its seed and the training its position.
  save(path, {&training.params, &training.adam});
  load(path, other.checkpoint(), false);
  auto values = other.values();
  values.pop_back();  // late.weight, which is not in the file
  EXPECT_EQ(values, training.values());
  EXPECT_EQ(other.engine.seed(), 6u);
  EXPECT_EQ(other.position, (Position{0, 1}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
