// The cases of docs/why_is_it_slow.md: the output of explain before and after each fix. tools/check_readme compares the
// page with this file and with tests/golden/slow.
#include <array>
#include <string>
#include <vector>

#include <espalier/espalier.h>

#include "golden/golden.h"

namespace espalier {
namespace ESPALIER_FILE {

using golden::expect_golden;
using Sentence = std::vector<int>;
const std::vector<Sentence> sentences{{3, 1, 4, 1, 5}, {9, 2, 6}, {5, 3}, {5, 8, 9, 7}};

struct Model {
  Parameters params;
  nn::Embedding words{params / "words", 10, 4};
  nn::LSTM lstm{params / "lstm", 4, 8};
  nn::Linear out{params / "out", 8, 3};
  Engine engine;

  nn::State read(Graph& g, const Sentence& sentence) const {
    nn::State s;
    for (int word : sentence) s = lstm(words(g, word), s);
    return s;
  }
  std::vector<Expr> rows(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> xs;
    for (int word : sentence) xs.push_back(words(g, word));
    return xs;
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

struct Slow : testing::Test, Model {
  void expect(const std::string& name, const std::string& text) { expect_golden("slow/" + name + ".txt", text); }
};

TEST_F(Slow, ValuesAskedOneByOne) {
  {
    // --- docs from here
    Graph g = engine.graph(Mode::infer);
    for (const Sentence& sentence : sentences) {
      nn::State s;
      for (int word : sentence) {
        s = lstm(words(g, word), s);
        if (engine.tensor(softmax(out(s.h)))[0] > 0.9f) break;  // runs this word of this sentence, alone
      }
    }
    // --- to here
  }
  expect("values_before", first_line(engine.profile()));
  engine.reset_counters();
  // --- docs from here
  auto batch = engine.record(sentences,
                             [&](Graph& g, const Sentence& sentence) -> Task<int> {
                               nn::State s;
                               Expr scores;
                               for (int word : sentence) {
                                 s = lstm(words(g, word), s);
                                 scores = softmax(out(s.h));
                                 const auto now = co_await values(scores);  // all sentences wait here, and run together
                                 if (now[0] > 0.9f) break;
                               }
                               co_return co_await argmax(scores);
                             },
                             {.mode = Mode::infer});
  // --- to here
  expect("values_after", first_line(engine.profile()));
}

TEST_F(Slow, LossesAddedUp) {
  {
    // --- docs from here
    Graph g = engine.graph();
    Expr total;
    for (const Sentence& sentence : sentences) {
      Expr loss = cross_entropy(out(read(g, sentence).h), 1);
      total = total ? total + loss : loss;
    }
    // --- to here
    expect("losses_before", engine.explain(g));
  }
  // --- docs from here
  auto batch = engine.record(
      sentences, [&](Graph& g, const Sentence& sentence) { return cross_entropy(out(read(g, sentence).h), 1); });
  // and then engine.backward(batch.results)
  // --- to here
  expect("losses_after", engine.explain(batch));
}

TEST_F(Slow, ShapesThatDependOnTheLength) {
  {
    // --- docs from here
    auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
      return mean_axis(stack(rows(g, sentence)), 0);  // [5,4], [3,4], [2,4], [4,4]: four cells
    });
    // --- to here
    expect("shapes_before", engine.explain(batch));
  }
  // --- docs from here
  auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
    return mean(rows(g, sentence));  // any number of rows of one shape: one cell
  });
  // --- to here
  expect("shapes_after", engine.explain(batch));
}

TEST_F(Slow, ParametersChosenByTheData) {
  std::array<Parameter, 4> W;
  for (size_t i = 0; i < W.size(); ++i) W[i] = (params / "relation").add(std::to_string(i), {8, 8});
  {
    // --- docs from here
    auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
      const size_t relation = sentence.size() - 2;
      return linear(read(g, sentence).h, W[relation]);  // a cell for each matrix
    });
    // --- to here
    expect("parameters_before", engine.explain(batch));
  }
  // --- docs from here
  const nn::Linear all(params / "all", 8, 4 * 8);
  auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
    const int relation = static_cast<int>(sentence.size()) - 2;
    return pick(reshape(all(read(g, sentence).h), {4, 8}), relation);  // which one is data, and batches
  });
  // --- to here
  expect("parameters_after", engine.explain(batch));
}

TEST_F(Slow, ManySmallOps) {
  const Parameter W = (params / "gate").add("W", {8, 8}), b = (params / "gate").add("b", {8});
  {
    // --- docs from here
    auto gate = [&](Expr h) { return h * sigmoid(linear(h, W, b)) + tanh(h) * 0.5f; };
    // --- to here
    auto batch = engine.record(sentences, [&](Graph& g, const Sentence& s) { return gate(gate(read(g, s).h)); });
    expect("ops_before", engine.explain(batch));
  }
  const Scope p = params;
  // --- docs from here
  auto gate = p.cell("gate", {{8}}, [&](Expr h) { return h * sigmoid(linear(h, W, b)) + tanh(h) * 0.5f; });
  // --- to here
  auto batch = engine.record(sentences, [&](Graph& g, const Sentence& s) { return gate(gate(read(g, s).h)); });
  expect("ops_after", engine.explain(batch));
}

TEST_F(Slow, AChainIsAsLongAsItIs) {
  const nn::TreeRNN pair(params / "pair", 4);
  std::vector<Sentence> texts{Sentence(16, 1), {1, 2}, {3, 4, 5}};
  {
    // --- docs from here
    auto batch = engine.record(texts, [&](Graph& g, const Sentence& text) {
      Expr whole;
      for (Expr x : rows(g, text)) whole = whole ? pair.node(whole, x) : x;  // as deep as the text is long
      return whole;
    });
    // --- to here
    expect("chain_before", engine.explain(batch));
  }
  // --- docs from here
  auto batch = engine.record(texts, [&](Graph& g, const Sentence& text) {
    std::vector<Expr> level = rows(g, text);
    while (level.size() > 1) {  // neighbours, in a balanced tree
      std::vector<Expr> next;
      for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(pair.node(level[i], level[i + 1]));
      if (level.size() % 2 == 1) next.push_back(level.back());
      level = next;
    }
    return level[0];
  });
  // --- to here
  expect("chain_after", engine.explain(batch));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
