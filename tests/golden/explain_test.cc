// Golden texts of explain for small models; checks that policy auto reaches the lower bound on steps.
#include <numeric>
#include <string>
#include <vector>

#include <espalier/espalier.h>

#include "golden/golden.h"
#include "schedule/schedule.h"

namespace espalier {
namespace ESPALIER_FILE {

using golden::expect_golden;

// Number of steps of the whole graph.
size_t steps_of(const Graph& graph, Policy policy) {
  std::vector<uint32_t> all(graph.calls());
  std::iota(all.begin(), all.end(), 0u);
  Schedule schedule;
  Scheduler().run(graph.tape(), all, policy, schedule);
  return schedule.steps.size();
}

void expect_lower_bound(const Graph& graph) {
  std::vector<uint32_t> all(graph.calls());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(steps_of(graph, Policy::automatic), lower_bound(graph.tape(), all));
}

using Sentence = std::vector<int>;
const std::vector<Sentence> sentences{{3, 1, 4, 1, 5}, {9, 2, 6}, {5, 3}};

// A binary tree, children before parents.
struct Node {
  int word = -1, left = 0, right = 0;
};
using Tree = std::vector<Node>;
// ((0 1) (2 3)), (((0 1) 2) 3), (4 5)
const std::vector<Tree> trees{
    {{0}, {1}, {-1, 0, 1}, {2}, {3}, {-1, 3, 4}, {-1, 2, 5}},
    {{0}, {1}, {-1, 0, 1}, {2}, {-1, 2, 3}, {3}, {-1, 4, 5}},
    {{4}, {5}, {-1, 0, 1}},
};

TEST(Explain, TreeLstmWithALossAtEveryNode) {
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::TreeLSTM lstm(params / "lstm", 4, 8);
  const nn::Linear out(params / "out", 8, 5);
  const auto batch = engine.record(trees, [&](Graph& g, const Tree& tree) {
    std::vector<nn::State> states;
    for (const Node& n : tree) {
      states.push_back(n.word >= 0 ? lstm.leaf(words(g, n.word)) : lstm.node(states[n.left], states[n.right]));
      g.emit("loss", cross_entropy(out(states.back().h), n.word % 5 < 0 ? 0 : n.word % 5));
    }
    return states.back();
  });
  expect_lower_bound(batch.shards[0]);
  expect_golden("explain/tree_lstm.txt", engine.explain(batch));
}

TEST(Explain, BiLstmTagger) {
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::BiLSTM context(params / "context", 4, 8);
  const nn::Linear hidden(params / "hidden", 16, 8), out(params / "out", 8, 3);
  const auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
    std::vector<Expr> xs;
    for (const int word : sentence) xs.push_back(words(g, word));
    xs = context(xs);
    for (size_t i = 0; i < xs.size(); ++i) xs[i] = cross_entropy(out(tanh(hidden(xs[i]))), sentence[i] % 3);
    return sum(xs);
  });
  expect_lower_bound(batch.shards[0]);
  expect_golden("explain/bilstm_tagger.txt", engine.explain(batch));
}

TEST(Explain, TaggerThatReadsRareWordsByCharacters) {
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 8), chars(params / "chars", 27, 4);
  const nn::LSTM from_left(params / "from_left", 4, 4), from_right(params / "from_right", 4, 4);
  const nn::BiLSTM context(params / "context", 8, 8);
  const nn::Linear out(params / "out", 16, 3);
  const std::vector<std::vector<std::string>> texts{{"1", "pear", "2"}, {"espalier", "3"}, {"4", "fig", "plum", "5"}};
  const auto read = [&](Graph& g, const std::string& word) {
    if (word[0] < 'a') return words(g, word[0] - '0');
    std::vector<Expr> xs;
    for (const char c : word) xs.push_back(chars(g, c - 'a'));
    nn::State left, right;
    for (size_t i = 0; i < xs.size(); ++i) {
      left = from_left(xs[i], left);
      right = from_right(xs[xs.size() - 1 - i], right);
    }
    return concat(left.h, right.h);
  };
  const auto batch = engine.record(texts, [&](Graph& g, const std::vector<std::string>& text) {
    std::vector<Expr> xs;
    for (const std::string& word : text) xs.push_back(read(g, word));
    xs = context(xs);
    for (Expr& x : xs) x = cross_entropy(out(x), 1);
    return sum(xs);
  });
  expect_lower_bound(batch.shards[0]);
  expect_golden("explain/char_tagger.txt", engine.explain(batch));
}

TEST(Explain, LanguageModel) {
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::LSTM lstm(params / "lstm", 4, 8);
  const nn::Linear out(params / "out", 8, 10);
  const auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
    std::vector<Expr> losses;
    nn::State state;
    for (size_t i = 0; i + 1 < sentence.size(); ++i) {
      state = lstm(words(g, sentence[i]), state);
      losses.push_back(-pick(log_softmax(out(state.h)), sentence[i + 1]));
    }
    return sum(losses);
  });
  expect_lower_bound(batch.shards[0]);
  expect_golden("explain/language_model.txt", engine.explain(batch));
}

TEST(Explain, ChildSumTrees) {
  struct Word {
    int word;
    std::vector<size_t> kids;  // earlier words
  };
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::ChildSumTreeLSTM lstm(params / "lstm", 4, 8);
  const std::vector<std::vector<Word>> dependencies{
      {{1, {}}, {2, {}}, {3, {0, 1}}, {4, {}}, {5, {2, 3}}}, {{6, {}}, {7, {0}}}, {{8, {}}}};
  const auto batch = engine.record(dependencies, [&](Graph& g, const std::vector<Word>& tree) {
    std::vector<nn::State> states;
    for (const Word& w : tree) {
      std::vector<nn::State> kids;
      for (const size_t k : w.kids) kids.push_back(states[k]);
      states.push_back(lstm.node(g, words(g, w.word), kids));
    }
    return states.back();
  });
  expect_golden("explain/child_sum.txt", engine.explain(batch));
}

TEST(Explain, AttentionOverAGroup) {
  Engine engine;
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::LSTM decoder(params / "decoder", 4, 4);
  const auto attend = Scope(params).cell("attend", {{4}, {4}}, [&](Expr query, Many<Expr> keys) {
    return sum_rows(softmax_rows(sum_elements(Expr(keys) * query)) * Expr(keys));
  });
  const auto batch = engine.record(sentences, [&](Graph& g, const Sentence& sentence) {
    std::vector<Expr> xs;
    for (const int word : sentence) xs.push_back(words(g, word));
    const Many<Expr> keys = group<Expr>(g, xs);
    nn::State state = decoder(xs.front());
    for (int i = 0; i < 3; ++i) state = decoder(attend(state.h, keys), state);
    return state;
  });
  expect_golden("explain/attention.txt", engine.explain(batch));
}

TEST(Explain, OneExampleWithPolicyNone) {
  Engine engine({.policy = Policy::none});
  Parameters params;
  const nn::Embedding words(params / "words", 10, 4);
  const nn::LSTM lstm(params / "lstm", 4, 4);
  Graph g = engine.graph();
  nn::State state;
  for (const int word : sentences[0]) state = lstm(words(g, word), state);
  expect_golden("explain/chain_none.txt", engine.explain(g));
}

// Ops that differ only in attributes or shapes must not share a step.
TEST(Explain, OpsThatLookAlike) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const Expr x = input(g, numbers, {2, 3}), y = input(g, numbers, {3, 2}), z = input(g, numbers, {6});
  for (const Expr a : {relu(z), elu(z), elu(z, 3), softmax(x, 0), softmax(x, 1), softmax(y, 1), softmax(y, 0)})
    sum_elements(a);
  const std::vector<Expr> both{x, x};
  concat(both, 0);
  concat(both, 1);
  expect_golden("explain/look_alike.txt", engine.explain(g));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
