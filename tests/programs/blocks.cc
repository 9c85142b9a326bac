// The code of docs/blocks.md, section by section.
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// --- docs from here
#include <espalier/espalier.h>

namespace esp = espalier;
namespace nn = espalier::nn;
using namespace espalier::block;
using esp::Expr, esp::Graph;

struct Atom {
  std::string element;
  float charge = 0;
};
struct Molecule {
  std::vector<Atom> atoms;
  std::optional<float> melting_point;
  int label = 0;
};

Block<Molecule, Expr> scores(esp::Scope p) {
  auto element = field<&Atom::element>() >> one_hot({"C", "H", "N", "O"});
  auto charge = field<&Atom::charge>() >> scalar();
  auto atom = all_of(element, charge) >> concat() >> nn::FC(p / "atom", 5, 16);
  return field<&Molecule::atoms>() >> map(atom) >> sum() >> nn::Linear(p / "out", 16, 2);
}
// --- to here

void tour() {
  esp::Parameters params(1);
  // --- docs from here
  const std::vector<Molecule> molecules{{{{"O"}, {"H", 0.4f}, {"H", 0.4f}}, 273.f, 1}, {{{"N"}, {"O"}}, {}, 0}};
  const auto model = scores(params);
  esp::Engine engine;
  auto batch = engine.record(molecules, model);  // a Batch<Expr>
  auto loss = all_of(model, field<&Molecule::label>()) >> [](Expr s, int label) { return cross_entropy(s, label); };
  auto gradients = engine.backward(engine.record(molecules, loss).results);
  // --- to here
  std::printf("%zu results, %zu calls, loss %d\n", batch.results.size(), batch.calls(), gradients.loss().get() > 0);

  // --- docs from here
  auto length_of = of<Molecule>([](const Molecule& m) { return static_cast<int>(m.atoms.size()); });  // a host value
  auto embedded = length_of >> nn::Embedding(params / "lengths", 100, 8);                             // a module
  auto gate = esp::Scope(params).cell("gate", {{8}, {8}}, [](Expr a, Expr b) { return a * sigmoid(b); });
  auto gated = all_of(embedded, embedded >> nn::Linear(params / "gate", 8, 8)) >> gate;               // a cell
  auto wide = all_of(gated, esp::Tensor{{2}, {1, 0}}) >> concat();                                    // a constant
  // --- to here
  Graph g = engine.graph();
  std::printf("shape %s\n", esp::str(wide(g, molecules[0]).shape()).c_str());

  // --- docs from here
  auto point = field<&Molecule::melting_point>() >> optional(scalar(), esp::Shape{});  // 0 if missing
  auto scaled = record(one_hot(2), [](Expr x) { return x * 0.01f; });  // one block per element of a tuple
  auto both = all_of(field<&Molecule::label>(), point) >> scaled >> concat();
  // --- to here
  std::printf("%s\n", str(both.shapes()).c_str());
}

// --- docs from here
struct Circle {
  float radius;
};
using Figure = std::variant<Circle, std::shared_ptr<Molecule>>;

Block<Figure, Expr> figure(esp::Scope p) {
  auto circle = field<&Circle::radius>() >> scalar() >> [](Expr r) { return broadcast(r, 0, 8); };
  auto molecule = scores(p / "molecule") >> nn::Linear(p / "wider", 2, 8);
  return one_of<Figure>(circle, molecule);
}

Block<Molecule, Expr> by_label(esp::Scope p) {
  std::map<int, Block<Molecule, Expr>> cases;
  for (int label : {0, 1}) cases[label] = scores(p / std::to_string(label));
  return one_of(field<&Molecule::label>(), cases);
}
// --- to here

// --- docs from here
struct Sequences {
  nn::Embedding words;
  nn::LSTM lstm;
  nn::TreeRNN pair;
  explicit Sequences(esp::Scope p) : words(p / "words", 100, 8), lstm(p / "lstm", 8, 8), pair(p / "pair", 8) {}

  using Sentence = std::vector<int>;
  Block<Sentence, std::vector<Expr>> rows = identity<Sentence>() >> map(words);
  Block<Sentence, Expr> last = rows >> rnn(lstm) >> get<0>() >> nth(-1);
  Block<Sentence, Expr> balanced = rows >> reduce(pair.node, zeros({8}));      // log2(n) deep; zeros if empty
  Block<Sentence, Expr> chain = rows >> fold(pair.node, zeros({8}));           // n deep
  Block<Sentence, Expr> pairs = rows >> ngrams<2>() >> map(pair.node) >> max();
  Block<Sentence, Expr> repeated = all_of(last >> broadcast(), rows) >> zip_with(pair.node) >> mean();
  Block<Sentence, Expr> inner = rows >> slice(1, -1) >> sum({8});
};
// --- to here

// --- docs from here
struct Node;
using Tree = std::variant<int, std::unique_ptr<Node>>;  // a word, or two subtrees
struct Node {
  Tree left, right;
};

Block<Tree, nn::State> tree_lstm(esp::Scope p, int h) {
  nn::TreeLSTM lstm(p / "lstm", 8, h);
  return fix<Tree, nn::State>({h}, [&](auto self) {
    auto word = identity<int>() >> nn::Embedding(p / "words", 100, 8) >> lstm.leaf;
    auto node = all_of(field<&Node::left>() >> self, field<&Node::right>() >> self) >> lstm.node;
    return one_of<Tree>(word, node);
  });
}
// --- to here

// --- docs from here
struct Element;
struct Group {  // (a, b, (c)) …
  std::vector<Element> elements;
};
struct Element {
  int letter;
  std::optional<Group> group;
};

struct Nested {
  Forward<Group, Expr> group{{8}};
  Block<Group, Expr> whole;
  explicit Nested(esp::Scope p) {
    auto letter = field<&Element::letter>() >> nn::Embedding(p / "letters", 26, 8);
    auto inside = field<&Element::group>() >> optional(group(), esp::Shape{8});
    auto element = all_of(letter, inside) >> nn::TreeRNN(p / "element", 8).node;
    whole = field<&Group::elements>() >> map(element) >> sum({8});
    group.resolve(whole);
  }
};
// --- to here

// --- docs from here
Block<Molecule, Expr> attended(esp::Scope p) {
  const nn::AdditiveAttention attend(p / "attend", 8, 8, 16);
  Composition<Molecule> c;
  auto atom = field<&Atom::element>() >> one_hot({"C", "H", "N", "O"}) >> nn::Linear(p / "atom", 4, 8);
  auto rows = c(field<&Molecule::atoms>() >> map(atom), c.input());
  auto query = c(mean(), rows);
  auto memory = c([attend](Graph& g, const std::vector<Expr>& r) { return attend.remember(g, r); }, rows);
  return c.output(c(attend, query, memory));
}
// --- to here

void the_rest() {
  esp::Parameters params(2);
  esp::Engine engine;
  // --- docs from here
  auto scored = scores(params / "m") >> metric("score");
  auto batch = engine.record(std::vector<Molecule>(3, {{{"C"}}, {}, 0}), scored);
  const std::vector<esp::Tensor> all_scores = engine.tensors(batch.emitted("score"));
  // --- to here
  std::printf("%zu scores\n", all_scores.size());

  // --- docs from here
  std::printf("%s\n", str(scored.shapes()).c_str());  // [2]
  try {
    scored >> nn::Linear(params / "wrong", 3, 1);  // found without any data
  } catch (const esp::ShapeError& e) {
    std::printf("%s\n", e.what());
  }
  // --- to here

  // --- docs from here
  const std::vector<Molecule> some{{{{"C"}, {"Xx"}}, {}, 0}, {{{"C"}}, {}, 0}};
  auto good = engine.record(some, scores(params / "some"), {.skip_bad = true});
  try {
    std::rethrow_exception(good.failed[0].error);
  } catch (const esp::DataError& e) {
    std::printf("%s\n", e.what());
  }
  // --- to here
  std::printf("%zu failed, %zu result\n", good.failed.size(), good.results.size());

  Graph g = engine.graph();
  const Sequences s(params / "sequences");
  for (const auto& b : {s.last, s.balanced, s.chain, s.pairs, s.repeated, s.inner})
    std::printf("%s%s ", esp::str(b(g, {1, 2, 3, 4}).shape()).c_str(), str(b.shapes()).c_str());
  std::printf("\n%s %s\n", esp::str(figure(params / "figure")(g, Circle{3}).shape()).c_str(),
              esp::str(by_label(params / "labels")(g, some[1]).shape()).c_str());
  auto node = std::make_unique<Node>(Node{1, 2});
  std::printf("%s\n", esp::str(tree_lstm(params / "tree", 6)(g, Tree(std::move(node))).h.shape()).c_str());
  const Nested nested(params / "nested");
  std::printf("%s\n", esp::str(nested.whole(g, {{{1, Group{{{2, {}}}}}, {3, {}}}}).shape()).c_str());
  std::printf("%s\n", esp::str(attended(params / "attended")(g, some[1]).shape()).c_str());
}

int main() {
  tour();
  the_rest();
}
