// Recurrent modules: formulas, and the cost of sequences.
#include "models/fixture.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using nn::State;

// h of every step, and c of the last.
template <class M>
std::vector<Expr> states(const M& m, const Example& e) {
  std::vector<Expr> out;
  State s;
  for (Expr x : e.list("x")) {
    s = m(x, s);
    out.push_back(s.h);
  }
  out.push_back(s.c);
  return out;
}

TEST(Recurrent, Rnn) {
  auto run = [](const nn::RNN& m, const Example& e) { return m.run(e.list("x")); };
  expect_fixture("rnn_tanh", [](Scope p) { return nn::RNN(p, 2, 3); }, run);
  expect_fixture("rnn_relu", [](Scope p) { return nn::RNN(p, 2, 3, relu); }, run);
}
TEST(Recurrent, Lstm) {
  expect_fixture("lstm", [](Scope p) { return nn::LSTM(p, 3, 2); }, states<nn::LSTM>);
}
TEST(Recurrent, CoupledLstm) {
  expect_fixture("coupled_lstm", [](Scope p) { return nn::CoupledLSTM(p, 3, 2); }, states<nn::CoupledLSTM>);
}
TEST(Recurrent, LayerNormLstm) {
  expect_fixture("layer_norm_lstm", [](Scope p) { return nn::LayerNormLSTM(p, 3, 2); }, states<nn::LayerNormLSTM>);
}
TEST(Recurrent, Gru) {
  expect_fixture(
      "gru", [](Scope p) { return nn::GRU(p, 3, 2); },
      [](const nn::GRU& m, const Example& e) { return m.run(e.list("x")); });
}
TEST(Recurrent, DeepLstm) {
  expect_fixture(
      "deep_lstm", [](Scope p) { return nn::DeepLSTM(p, 3, 2, 2); },
      [](const nn::DeepLSTM& m, const Example& e) {
        std::vector<Expr> out;
        nn::DeepLSTM::States s;
        for (Expr x : e.list("x")) {
          s = m(x, s);
          out.push_back(nn::output(s));
        }
        out.push_back(s.back().c);
        return out;
      });
}
TEST(Recurrent, DeepHasALayer) {
  Parameters params;
  try {
    nn::DeepGRU(params, 3, 2, 0);
    ADD_FAILURE() << "no layers";
  } catch (const ShapeError& e) {
    EXPECT_STREQ(e.what(), "Deep: a depth of 0; it must be at least 1");
  }
}
TEST(Recurrent, BiGru) {
  expect_fixture(
      "bigru", [](Scope p) { return nn::BiGRU(p, 2, 2); },
      [](const nn::BiGRU& m, const Example& e) { return m(e.list("x")); });
}
TEST(Recurrent, DeepBiLstm) {
  expect_fixture(
      "deep_bilstm", [](Scope p) { return nn::DeepBiLSTM(p, 2, 2, 2); },
      [](const nn::DeepBiLSTM& m, const Example& e) { return m(e.list("x")); });
}

TEST(Recurrent, VariationalLstmWithMasksThatAreGiven) {
  expect_fixture(
      "variational_lstm", [](Scope p) { return nn::VariationalLSTM(p, 3, 2, 0.5f); },
      [](const nn::VariationalLSTM& m, const Example& e) {
        std::vector<Expr> out;
        nn::VariationalState s{{}, {}, e["x_mask"], e["h_mask"]};
        for (Expr x : e.list("x")) {
          s = m(x, s);
          out.push_back(s.h);
        }
        out.push_back(s.c);
        return out;
      });
}
TEST(Recurrent, VariationalMasksAreDrawnOnceForASequence) {
  Parameters params;
  const nn::VariationalLSTM m(params, 40, 30, 0.25f);
  Engine engine;
  auto states_of = [&](Mode mode) {
    return engine.record(std::vector<int>{3, 3, 1},
                         [&](Graph& g, int length) {
                           std::vector<nn::VariationalState> steps(1);
                           for (int t = 0; t < length; ++t) steps.push_back(m(full(g, {40}, 0.5f), steps.back()));
                           return steps;
                         },
                         {.mode = mode});
  };
  auto batch = states_of(Mode::train);
  EXPECT_EQ(batch.calls(), 7u + 7u + 3u) << "an input and a call for each step, and one that draws for each sequence";
  std::vector<std::vector<float>> drawn;
  for (const auto& steps : batch.results) {
    for (size_t t = 2; t < steps.size(); ++t) {
      EXPECT_EQ(steps[t].x_mask.id(), steps[1].x_mask.id());
      EXPECT_EQ(steps[t].h_mask.id(), steps[1].h_mask.id());
    }
    drawn.push_back(engine.tensor(steps[1].x_mask).to_vector());
    drawn.push_back(engine.tensor(steps[1].h_mask).to_vector());
  }
  for (const auto& mask : drawn) {
    const auto zeros = std::count(mask.begin(), mask.end(), 0.f);
    EXPECT_EQ(zeros + std::count(mask.begin(), mask.end(), 1.f / 0.75f), static_cast<long>(mask.size()));
    EXPECT_GT(zeros, 0);
    EXPECT_LT(zeros, static_cast<long>(mask.size()) / 2);
  }
  EXPECT_NE(drawn[0], drawn[2]) << "sequences have masks of their own";
  auto quiet = states_of(Mode::infer);
  for (const auto& steps : quiet.results)
    EXPECT_EQ(engine.tensor(steps[1].h_mask).to_vector(), std::vector<float>(30, 1.f))
        << "nothing is dropped in inference";
}

TEST(Recurrent, StackLstm) {
  expect_fixture(
      "stack_lstm", [](Scope p) { return nn::StackLSTM(p, 3, 2); },
      [](const nn::StackLSTM& m, const Example& e) {
        std::vector<Expr> out;
        auto stack = m.start(e.g);
        for (const auto& action : e.structure["actions"])
          if (action == "pop")
            stack.pop();
          else if (action == "top")
            out.push_back(stack.top());
          else
            stack.push(e.list("x")[action.get<size_t>()]);
        return out;
      });
}
TEST(Recurrent, ForksOfAStackShareItsStates) {
  Parameters params;
  const nn::StackLSTM m(params, 2, 2);
  Engine engine;
  Graph g = engine.graph();
  auto stack = m.start(g);
  const Expr x = zeros(g, {2});
  for (int i = 0; i < 1000; ++i) stack.push(x);
  const size_t before = g.calls();
  std::vector<nn::StackLSTM::Stack> beam(50, stack);
  for (auto& fork : beam) fork.pop();
  EXPECT_EQ(g.calls(), before) << "copying and popping record nothing";
  for (auto& fork : beam) fork.push(x);
  EXPECT_EQ(g.calls(), before + 50);
  EXPECT_EQ(stack.size(), 1000u);
  EXPECT_EQ(beam[7].size(), 1000u);
  EXPECT_NE(beam[0].top().id(), beam[1].top().id());
  beam[0].pop();
  stack.pop();
  EXPECT_EQ(beam[0].top().id(), stack.top().id());

  auto empty = m.start(g);
  try {
    empty.pop(Where{"parser.cc", 41});
    ADD_FAILURE() << "popped an empty stack";
  } catch (const IndexError& e) {
    EXPECT_STREQ(e.what(), "StackLSTM: pop of an empty stack; it must hold a row (parser.cc:41)");
  }
}

// Sequences of different lengths in one batch: as many steps as the longest.
template <class M>
uint64_t steps_of(const M& m) {
  Engine engine({.device = Device::null()});
  auto batch = engine.record(std::vector<int>{2, 9, 5, 1}, [&](Graph& g, int length) {
    std::vector<Expr> xs;
    for (int t = 0; t < length; ++t) xs.push_back(input(g, std::vector<float>(3), {3}));
    return m.run(xs).back();
  });
  engine.tensors(batch.results);
  return engine.counters().steps;
}
TEST(Recurrent, ABatchTakesAsManyStepsAsItsLongestSequence) {
  Parameters params;
  EXPECT_EQ(steps_of(nn::RNN(params / "rnn", 3, 4)), 1u + 9u) << "one for all inputs";
  EXPECT_EQ(steps_of(nn::LSTM(params / "lstm", 3, 4)), 1u + 9u);
  EXPECT_EQ(steps_of(nn::CoupledLSTM(params / "coupled", 3, 4)), 1u + 9u);
  EXPECT_EQ(steps_of(nn::GRU(params / "gru", 3, 4)), 1u + 9u);
  EXPECT_EQ(steps_of(nn::VariationalLSTM(params / "variational", 3, 4)), 1u + 1u + 9u) << "and one for all masks";
  EXPECT_EQ(steps_of(nn::DeepLSTM(params / "deep", 3, 4, 3)), 1u + 3 * 9u) << "no layer waits for the next sequence";
  EXPECT_EQ(steps_of(nn::Deep<nn::VariationalLSTM>(params / "both", 3, 4, 2, 0.f, 0.25f)), 1u + 2 * (1u + 9u));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
