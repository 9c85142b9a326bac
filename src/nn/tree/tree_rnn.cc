#include <espalier/nn/tree/tree_rnn.h>

namespace espalier::nn {

TreeRNN::TreeRNN(Scope p, int hidden)
    : weight(p.add("weight", {hidden, 2 * hidden})),
      bias(p.add("bias", {hidden}, init::constant(0))),
      node(p.cell("node", {{hidden}, {hidden}},
                  [&](Expr l, Expr r) { return tanh(linear(concat(l, r), weight, bias)); })) {}

RNTN::RNTN(Scope p, int hidden)
    : tensor(p.add("tensor", {hidden, 2 * hidden, 2 * hidden},
                   init::uniform(-0.25f / static_cast<float>(hidden), 0.25f / static_cast<float>(hidden)))),
      weight(p.add("weight", {hidden, 2 * hidden})),
      bias(p.add("bias", {hidden}, init::constant(0))),
      node(p.cell("node", {{hidden}, {hidden}}, [&](Expr l, Expr r) {
        const Expr x = concat(l, r);
        return tanh(linear(x, weight, bias) + bilinear(x, x, tensor));
      })) {}

namespace {

Init identities(int n, int size) {
  const auto step = static_cast<size_t>(size) + 1, matrix = static_cast<size_t>(size) * static_cast<size_t>(size);
  std::vector<float> data(static_cast<size_t>(n) * matrix, 0.f);
  for (size_t first = 0; first < data.size(); first += matrix)
    for (size_t i = 0; i < static_cast<size_t>(size); ++i) data[first + i * step] = 1;
  return init::from(std::move(data));
}

}  // namespace

MVRNN::MVRNN(Scope p, int words, int hidden)
    : weight(p.add("weight", {hidden, 2 * hidden})),
      matrix_weight(p.add("matrix_weight", {hidden, 2 * hidden})),
      vectors(p.add_lookup("vectors", words, {hidden})),
      matrices(p.add_lookup("matrices", words, {hidden, hidden}, identities(words, hidden))),
      leaf(p.cell("leaf", {{}},
                  [&](Index word) -> MatrixVector { return {lookup(vectors, word), lookup(matrices, word)}; })),
      cell(p.cell("node", {{hidden}, {hidden, hidden}, {hidden}, {hidden, hidden}},
                  [&](Expr a, Expr A, Expr b, Expr B) -> MatrixVector {
                    // M times each column of [A; B]. linear() multiplies rows, so the columns are transposed.
                    const Expr columns = transpose(concat(A, B));
                    return {tanh(linear(concat(matmul(B, a), matmul(A, b)), weight)),
                            transpose(linear(columns, matrix_weight))};
                  })) {}

MatrixVector MVRNN::node(const MatrixVector& l, const MatrixVector& r, Where at) const {
  return cell(l.vector, l.matrix, r.vector, r.matrix, at);
}

}  // namespace espalier::nn
