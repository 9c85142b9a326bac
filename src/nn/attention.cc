#include <espalier/nn/attention.h>

#include <cmath>
#include <string>

namespace espalier::nn {

DotProductAttention::DotProductAttention(Scope p, int dim)
    : cell(p.cell("attend", {{dim}, {dim}}, [&](Expr query, Many<KeyValue> memory) {
        return attention(query, memory[&KeyValue::key], memory[&KeyValue::value]);
      })) {}

AdditiveAttention::AdditiveAttention(Scope p, int query, int in, int hidden)
    : weight_query(p.add("weight_query", {hidden, query})),
      weight_key(p.add("weight_key", {hidden, in})),
      weight(p.add("weight", {hidden}, init::uniform(-0.1f, 0.1f))),
      project(p.cell("project", {{in}}, [&](Expr h) { return concat(linear(h, weight_key), h); })),
      cell(p.cell("attend", {{query}, {hidden + in}}, [&](Expr q, Many<Expr> memory) {
        const Expr key = slice(memory, 0, hidden), value = slice(memory, hidden, hidden + in);
        const Expr score = dot(tanh(key + linear(q, weight_query)), weight);
        return sum_rows(softmax_rows(score) * value);
      })) {}

Many<Expr> AdditiveAttention::remember(Graph& g, std::span<const Expr> rows, Where at) const {
  std::vector<Expr> projected;
  projected.reserve(rows.size());
  for (Expr h : rows) projected.push_back(project(h, at));
  return group(g, projected, at);
}

FeedForwardAttention::FeedForwardAttention(Scope p, int in)
    : weight(p.add("weight", {in}, init::uniform(-0.1f, 0.1f))),
      bias(p.add("bias", {}, init::constant(0))),
      cell(p.cell("attend", {{in}}, [&](Many<Expr> rows) {
        return sum_rows(softmax_rows(tanh(dot(Expr(rows), weight) + bias)) * Expr(rows));
      })) {}

MultiHeadAttention::MultiHeadAttention(Scope p, int dim, int heads)
    : in_proj_weight(p.add("in_proj_weight", {3 * dim, dim})),
      in_proj_bias(p.add("in_proj_bias", {3 * dim}, init::constant(0))),
      out_weight((p / "out_proj").add("weight", {dim, dim})),
      out_bias((p / "out_proj").add("bias", {dim}, init::constant(0))),
      project(p.cell("project", {{dim}},
                     [&](Expr x) -> Projected {
                       auto [q, k, v] = split<3>(linear(x, in_proj_weight, in_proj_bias));
                       return {q, k, v};
                     })),
      cell(p.cell("attend", {{dim}, {dim}}, [&](Expr query, Many<KeyValue> memory) {
        if (heads < 1 || dim % heads != 0)
          throw ShapeError("MultiHeadAttention: heads = " + std::to_string(heads) + ", dim = " + std::to_string(dim) +
                           "; heads must divide dim");
        const int each = dim / heads;
        const Expr products = reshape(memory[&KeyValue::key] * query, {heads, each});
        const Expr weights = softmax_rows(sum_axis(products, 1) * (1 / std::sqrt(static_cast<float>(each))));
        const Expr values = reshape(memory[&KeyValue::value], {heads, each});
        return linear(reshape(sum_rows(broadcast(weights, 1, each) * values), {dim}), out_weight, out_bias);
      })) {}

std::vector<Expr> MultiHeadAttention::operator()(Graph& g, std::span<const Expr> rows, Where at) const {
  std::vector<Expr> queries, out;
  std::vector<KeyValue> pairs;
  for (Expr x : rows) {
    const Projected row = project(x, at);
    queries.push_back(row.query);
    pairs.push_back({row.key, row.value});
  }
  const Many<KeyValue> memory = group(g, pairs, at);
  for (Expr q : queries) out.push_back(cell(q, memory, at));
  return out;
}

}  // namespace espalier::nn
