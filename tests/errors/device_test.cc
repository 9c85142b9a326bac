// Errors about devices, memory limits, non-finite values and duplicate names.
#include <cmath>
#include <limits>
#include <regex>

#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

// ---- invalid arguments of Engine and Parameters
using Making = Errors;

TEST_F(Making, of_an_engine) {
  EngineOptions cuda, idle;
  cuda.device = Device::cuda(99);  // fails without CUDA, without a GPU, and with fewer than 100
  const std::regex missing(R"(device cuda:99: (this build of espalier has no CUDA; use device cpu|)"
                           R"(there is no GPU here \(.+\); use device cpu|there are \d+ GPUs, numbered from 0))");
  try {
    const Engine none(cuda);
    ADD_FAILURE() << "there is a device cuda:99";
  } catch (const DeviceError& e) {
    EXPECT_TRUE(std::regex_match(e.what(), missing)) << e.what();
  }
  idle.threads = 0;
  EXPECT_ERROR(Error, "engine: threads = 0; at least one is needed", Engine(idle));
}

TEST_F(Making, of_names) {
  const nn::Linear out(scope / "out", 2, 3);
  EXPECT_ERROR(Error, "parameters: 'out.weight' already exists; names must be unique", nn::Linear(scope / "out", 2, 3));
  EXPECT_ERROR(Error, "parameters: 'out.bias' already exists; names must be unique",
               scope.add_lookup("out.bias", 2, {3}));
  EXPECT_ERROR(Error, "parameters: no parameter is named 'out.wait'; all() lists them", params["out.wait"]);
  EXPECT_EQ(params.all().size(), 2u);
}

// ---- memory
class Memory : public Errors {
 protected:
  static EngineOptions limited(size_t bytes) {
    EngineOptions o;
    o.memory_limit = bytes;
    return o;
  }
  explicit Memory(size_t bytes = size_t{256} << 10) : Errors(limited(bytes)) {}

  // Ignores the sizes in the message, which depend on the planner.
  template <class F>
  static void expect_over_limit(F&& f) {
    try {
      f();
      ADD_FAILURE() << "nothing is thrown";
    } catch (const DeviceError& e) {
      const std::regex needs("needed \\(\\d+ for rows, \\d+ for scratch\\)|\\d+ KiB are");
      EXPECT_EQ(std::regex_replace(e.what(), needs, "N"),
                "plan: N N and the limit is 256 KiB; make the minibatch smaller or raise the engine's memory_limit");
    }
  }
};

TEST_F(Memory, limit) {
  const nn::Linear layer(scope / "layer", 64, 64);
  const std::vector<float> data(64, 0.1f);
  auto loss = [&](Graph& g, int) { return sum_elements(tanh(layer(input(g, data, {64})))); };
  const std::vector<int> few(100), many(1000);
  auto large = engine.record(many, loss);
  expect_over_limit([&] { (void)engine.backward(large.results); });
  expect_over_limit([&] { (void)engine.backward(large.results); });
  auto small = engine.record(few, loss);
  EXPECT_GT(engine.backward(small.results).loss().get(), -1e9f) << "a smaller minibatch fits";
  // A part of the rejected work fits.
  EXPECT_LT(std::abs(engine.value(large.results[0])), 64);
}

// The forward pass fits and the backward pass does not.
TEST_F(Memory, limit_of_the_backward_pass) {
  const nn::Linear layer(scope / "layer", 64, 64);
  const std::vector<float> data(64, 0.1f);
  const std::vector<int> some(240);
  auto batch = engine.record(some, [&](Graph& g, int) { return sum_elements(tanh(layer(input(g, data, {64})))); });
  const float first = engine.tensors(batch.results)[0].item();
  expect_over_limit([&] { (void)engine.backward(batch.results); });
  EXPECT_EQ(engine.value(batch.results[0]), first);
}

class MoreMemory : public Memory {
 protected:
  MoreMemory() : Memory(size_t{16} << 20) {}
};
TEST_F(MoreMemory, is_told_in_larger_units) {
  const std::vector<float> data(1000);
  std::vector<int> many(6000);
  auto batch = engine.record(many, [&](Graph& g, int) { return input(g, data, {1000}); }, {.mode = Mode::infer});
  const char* text =
      "plan: 23 MiB are needed (23 for rows, 0 for scratch) and the limit is 16 MiB; make the minibatch smaller or "
      "raise the engine's memory_limit";
  EXPECT_ERROR(DeviceError, text, engine.infer(batch));
}

TEST(Precision, that_the_device_lacks) {
  EngineOptions o;
  o.precision = Precision::bf16;
  EXPECT_ERROR(DeviceError, "engine: tf32 and bf16 are for CUDA devices; cpu computes in f32", Engine{o});
}

// ---- non-finite values
class Immediate : public Errors {
 protected:
  static EngineOptions immediate() {
    EngineOptions o;
    o.immediate = true;
    return o;
  }
  Immediate() : Errors(immediate()) {}
};

// Each call runs when it is recorded, so the error can report its line.
TEST_F(Immediate, stops_at_the_first_nan) {
  Graph g = engine.graph();
  const Expr x = input(g, std::vector<float>{1, -1, 2}, {3});
  const Expr y = x * 2;
  const char* text = "log: call 2 gives nan in element 1 of [3]; no call before it gives nan (@)";
  EXPECT_ERROR(NumberError, text, log(y));
  EXPECT_EQ(g.calls(), 2u) << "the call is not recorded";
  EXPECT_ERROR(NumberError, text, log(y));
  EXPECT_EQ(engine.tensor(exp(y * 0)).to_vector(), (std::vector<float>{1, 1, 1})) << "the graph goes on";
  text = "input: call 4 gives nan in element 0 of []; no call before it gives nan (@)";
  EXPECT_ERROR(NumberError, text, input(g, std::numeric_limits<float>::quiet_NaN()));
}

TEST_F(Immediate, infinity_is_a_number) {
  Graph g = engine.graph();
  EXPECT_TRUE(std::isinf(engine.value(log(input(g, 0.f)))));
}

TEST_F(Immediate, names_the_line) {
  Graph g = engine.graph();
  const Expr x = input(g, std::vector<float>{-1, 2}, {2});
  EXPECT_ERROR(NumberError, "sqrt: call 1 gives nan in element 0 of [2]; no call before it gives nan (@)", sqrt(x));
  const auto cell = scope.cell("root", {{2}}, [](Expr v) { return sqrt(v) + 1; });
  EXPECT_ERROR(NumberError, "root: call 1 gives nan in element 0 of [2]; no call before it gives nan (@)", cell(x));
  const std::vector<float> xs{1, 2, -3, -4};
  auto root = [](Graph& graph, float v) { return sqrt(input(graph, v)); };  // this line
  const std::string at = str(Where{__FILE__, __LINE__ - 1});
  EXPECT_ERROR(NumberError,
               "sqrt: call 5 gives nan in element 0 of []; no call before it gives nan" + at + " (example 2)",
               engine.record(xs, root));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
