// The code of docs/coming_from_fold.md.
#include <cstdio>
#include <memory>
#include <variant>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
namespace nn = espalier::nn;
using namespace espalier::block;
using esp::Expr, esp::Graph;

namespace {

// --- docs from here
struct Sum;
using Tree = std::variant<int, std::shared_ptr<Sum>>;       // a word, or two subtrees
struct Sum {
  Tree left, right;
};
struct Example {
  Tree tree;
  int label = 0;
};

Block<Tree, nn::State> encoder(esp::Scope p) {
  nn::TreeLSTM lstm(p / "lstm", 16, 32);
  return fix<Tree, nn::State>({32}, [&](auto self) {        // td.ForwardDeclaration
    auto word = identity<int>() >> nn::Embedding(p / "words", 100, 16) >> lstm.leaf;
    auto pair = all_of(field<&Sum::left>() >> self, field<&Sum::right>() >> self) >> lstm.node;
    return one_of<Tree>(word, pair);                        // td.OneOf, on the type
  });
}

Block<Example, Expr> loss(esp::Scope p) {
  auto scores = field<&Example::tree>() >> encoder(p) >> field<&nn::State::h>() >> nn::Linear(p / "out", 32, 2);
  return all_of(scores, field<&Example::label>()) >> [](Expr s, int label) { return cross_entropy(s, label); };
}
// --- to here

}  // namespace

int main() {
  const std::vector<Example> data{{3, 0}, {std::make_shared<Sum>(Sum{4, 5}), 1}};
  // --- docs from here
  esp::Engine engine;                                       // replaces td.Compiler: nothing is compiled in advance
  esp::Parameters params(1);
  const auto block = loss(params);
  esp::optim::Adam adam(params);
  auto batch = engine.record(data, block);                  // replaces feed dicts; uses all threads of the engine
  adam.step(engine.backward(batch.results));
  std::printf("%s", engine.explain(batch).c_str());
  // --- to here
  // --- docs from here
  const auto encode = encoder(params / "second");
  const nn::Linear out(params / "third", 32, 2);
  auto by_hand = [&](Graph& g, const Example& e) {          // a block is a function: both ways mix
    nn::State s = encode(g, e.tree);
    if (e.label == 1) s.h = tanh(s.h);                      // no combinator needed
    return cross_entropy(out(s.h), e.label);
  };
  // --- to here
  Graph g = engine.graph();
  std::printf("by hand: %s\n", str(by_hand(g, data[1]).shape()).c_str());
}
