// Lesson 4: a cell of your own.
//
// A cell is a small program of ops, written as a lambda. It is traced once, at its definition: its shapes are checked,
// its gradient is derived and its element-wise ops are fused. Afterwards a call is one entry of the graph, however many
// ops the cell contains. This lesson builds one cell from a word lookup and two GRU layers.
#include <cstdio>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct State {  // cells take and return structs of Exprs
  Expr low, high;
};

struct Gru {  // Cho et al. 2014
  esp::Parameter W, U, b, c;
  esp::Cell<Expr(Expr, Expr)> cell;

  // {{in}, {n}} are the shapes of the arguments. The lambda is not kept after tracing, so [&] is safe.
  Gru(esp::Scope p, int in, int n)
      : W(p.add("W", {3 * n, in})),
        U(p.add("U", {3 * n, n})),
        b(p.add("b", {3 * n}, esp::init::constant(0))),
        c(p.add("c", {3 * n}, esp::init::constant(0))),
        cell(p.cell("gru", {{in}, {n}}, [&](Expr x, Expr h) {
          auto [xr, xz, xn] = esp::split<3>(linear(x, W, b));
          auto [hr, hz, hn] = esp::split<3>(linear(h, U, c));
          const Expr reset = sigmoid(xr + hr), keep = sigmoid(xz + hz);
          const Expr fresh = tanh(xn + reset * hn);
          return fresh + keep * (h - fresh);
        })) {}
};

struct Reader {
  esp::Lookup words;
  Gru low, high;
  esp::Cell<State(esp::Index, State)> step;

  // An Index is an integer argument without a shape, hence {}. Cells called inside a cell are inlined.
  Reader(esp::Scope p, int vocabulary, int n)
      : words(p.add_lookup("words", vocabulary, {n})),
        low(p / "low", n, n),
        high(p / "high", n, n),
        step(p.cell("step", {{}, {n}}, [&](esp::Index word, State before) -> State {
          const Expr h = low.cell(lookup(words, word), before.low);
          return {h, high.cell(h, before.high)};
        })) {}
};

int main() {
  esp::Parameters params(4);
  const Reader reader(params, 100, 6);
  std::printf("%s\n", reader.low.cell.explain().c_str());

  esp::Engine engine;
  esp::Graph g = engine.graph();
  State s{esp::zeros(g, {6}), esp::zeros(g, {6})};
  State t = s;
  const std::vector<int> sentence{17, 4, 99, 23};
  const size_t before = g.calls();
  for (int word : sentence) s = reader.step(word, s);
  const size_t one_cell = g.calls() - before;

  // The same computation with three calls per word. Outside a cell, every op would be a separate call.
  for (int word : sentence) {
    const Expr h = reader.low.cell(lookup(g, reader.words, word), t.low);
    t = {h, reader.high.cell(h, t.high)};
  }
  const size_t three_cells = g.calls() - before - one_cell;
  const float x = engine.value(sum_elements(s.high)), y = engine.value(sum_elements(t.high));
  std::printf("%zu words: %zu calls of one cell give %.5f, %zu calls of three cells give %.5f\n", sentence.size(),
              one_cell, x, three_cells, y);

  // A wrong shape is an error at the definition of the cell, before any data is read.
  try {
    const Gru wide(params / "wide", 6, 8);
    esp::Scope(params).cell("wrong", {{6}}, [&](Expr low) { return wide.cell(low, low); });
  } catch (const esp::ShapeError& e) {
    std::printf("refused: %s\n", e.what());
  }
}
