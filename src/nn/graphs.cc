#include <espalier/nn/graphs.h>

#include <cmath>
#include <string>

namespace espalier::nn {

namespace {

void check(int i, size_t n, const char* who, Where at) {
  if (i < 0 || static_cast<size_t>(i) >= n)
    throw IndexError(std::string(who) + " " + std::to_string(i) + " is out of range; it must be 0…" +
                     std::to_string(static_cast<int>(n) - 1) + str(at));
}

}  // namespace

GraphConvolution::GraphConvolution(Scope p, int in, int out, Activation activation)
    : weight(p.add("weight", {out, in})),
      bias(p.add("bias", {out}, init::constant(0))),
      send(p.cell("send", {{in}, {}}, [&](Expr h, Number share) { return linear(h, weight) * share; })),
      gather(p.cell("gather", {{out}, {out}, {}}, [&](Expr own, Many<Expr> others, Number share) {
        return activation((own + sum_rows(others)) * share + bias, Where::here());
      })) {}

std::vector<Expr> GraphConvolution::operator()(std::span<const Expr> nodes,
                                               std::span<const std::vector<int>> neighbours, Where at) const {
  if (nodes.size() != neighbours.size())
    throw IndexError("GraphConvolution: " + std::to_string(nodes.size()) + " nodes and " +
                     std::to_string(neighbours.size()) + " lists of neighbours are given; each node needs one" +
                     str(at));
  for (const auto& list : neighbours)
    for (int u : list) check(u, nodes.size(), "GraphConvolution: neighbour", at);
  auto share = [&](size_t v) { return 1 / std::sqrt(1 + static_cast<float>(neighbours[v].size())); };
  std::vector<Expr> sent, out, others;
  for (size_t v = 0; v < nodes.size(); ++v) sent.push_back(send(nodes[v], share(v), at));
  for (size_t v = 0; v < nodes.size(); ++v) {
    others.clear();
    for (int u : neighbours[v]) others.push_back(sent[static_cast<size_t>(u)]);
    out.push_back(gather(sent[v], others, share(v), at));
  }
  return out;
}

Weave::Weave(Scope p, int atom_size, int pair_size, int hidden, int out)
    : AA(p / "AA", atom_size, hidden),
      PA(p / "PA", pair_size, hidden),
      AP(p / "AP", 2 * atom_size, hidden),
      PP(p / "PP", pair_size, hidden),
      A(p / "A", 2 * hidden, out),
      P(p / "P", 2 * hidden, out),
      atom(p.cell(
          "atom", {{atom_size}, {pair_size}},
          [&](Expr a, Many<Expr> pairs) { return relu(A(concat(relu(AA(a)), sum_rows(relu(PA(Expr(pairs))))))); })),
      pair(p.cell("pair", {{atom_size}, {atom_size}, {pair_size}}, [&](Expr a, Expr b, Expr both) {
        const Expr either_order = relu(AP(concat(a, b))) + relu(AP(concat(b, a)));
        return relu(P(concat(either_order, relu(PP(both)))));
      })) {}

Weave::Molecule Weave::operator()(Graph& g, const Molecule& m, std::span<const std::array<int, 2>> ends,
                                  Where at) const {
  if (m.pairs.size() != ends.size())
    throw IndexError("Weave: " + std::to_string(m.pairs.size()) + " pairs and " + std::to_string(ends.size()) +
                     " ends are given; each pair needs its two atoms" + str(at));
  for (const auto& two : ends)
    for (int i : two) check(i, m.atoms.size(), "Weave: atom", at);
  std::vector<std::vector<Expr>> of_atom(m.atoms.size());
  Molecule next;
  for (size_t k = 0; k < ends.size(); ++k) {
    const auto a = static_cast<size_t>(ends[k][0]), b = static_cast<size_t>(ends[k][1]);
    next.pairs.push_back(pair(m.atoms[a], m.atoms[b], m.pairs[k], at));
    of_atom[a].push_back(m.pairs[k]);
    if (b != a) of_atom[b].push_back(m.pairs[k]);
  }
  for (size_t i = 0; i < m.atoms.size(); ++i) next.atoms.push_back(atom(g, m.atoms[i], of_atom[i], at));
  return next;
}

}  // namespace espalier::nn
