// Checkpoints: a failed load changes nothing.
#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/engine/engine.h>
#include <espalier/io/checkpoint.h>
#include <espalier/optim/optimizer.h>

#include "io/folder.h"
#include "optim/state.h"
#include "optim/textbook.h"
#include "support/fuzz_reader.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST(FuzzCheckpoint, LoadsAllOrNothing) {
  struct Model {
    Parameters params{1};
    Parameter weight = (params / "x").add("weight_ih", {2, 3}), bias = (params / "x").add("bias", {2});
    Engine engine{{.seed = 5}};
    optim::Adam adam{params};
    io::Position position{1, 2};
    io::Checkpoint whole() { return {&params, &adam, &engine, {}, &position}; }

    // The state that a load may change; compared as bits, since values may be NaN.
    std::string bits() {
      std::string all = io::raw<uint64_t>({position.epoch, position.minibatch, engine.seed(), adam.state().steps()}) +
                        io::raw<float>({adam.lr()});
      const auto add = [&](const float* data, size_t n) {
        all.append(reinterpret_cast<const char*>(data), n * sizeof *data);
      };
      for (const Parameter& p : params.all()) add(p.value().data(), p.value().size());
      adam.state().visit([&](const std::string&, const Shape&, const float* data, size_t n) { add(data, n); });
      return all;
    }
  };
  auto model = std::make_shared<Model>();
  optim::Given gradients;
  optim::Chance chance(1);
  for (const Parameter& p : model->params.all()) chance.give(gradients, p);
  model->adam.step(gradients.get());
  const std::string saved = written([&](const std::string& path) { io::save(path, model->whole()); });
  fuzz({{saved, io::without_checksums(saved)},  // without checksums, the code after the check is reached
        {"{", "}", "[", "]", "\"", ",", ":", "-1", "1e9", "\"F64\"", "\"shape\"", "adam.m/", "espalier.", "x.bias_ih",
         "\xff"},
        [model](const std::string& bytes) {
          static io::FileInMemory file;
          file.put(bytes);
          const std::string before = model->bits();
          try {
            io::load(file.path(), model->whole());
          } catch (const DataError&) {
            ASSERT_EQ(model->bits(), before);
            throw;
          }
        }});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
