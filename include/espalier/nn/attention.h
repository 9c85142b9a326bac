// Attention: a weighted mean of any number of rows. Each module has a cell whose Many argument holds the rows attended
// to. A Many that is recorded once, by group() or remember(), serves any number of queries. A call costs O(rows).
#pragma once
#include <span>
#include <vector>

#include <espalier/expr/cell.h>

namespace espalier::nn {

struct KeyValue {
  Expr key, value;
};

// Vaswani et al. 2017, eq. 1: Σ_k softmax(q · k / √dim) v. No parameters; query, keys and values are [dim].
struct ESPALIER_API DotProductAttention {
  static constexpr bool one_cell = true;  // a call records only `cell`, so blocks know its shapes before recording
  Cell<Expr(Expr, Many<KeyValue>)> cell;
  DotProductAttention(Scope scope, int dim);
  Expr operator()(Expr query, Many<KeyValue> memory, ESPALIER_AT) const { return cell(query, memory, at); }
};

// Bahdanau et al. 2015, section 3.1 and appendix A.1.2: Σ_k softmax(v · tanh(W q + U h_k)) h_k.
// weight_query = W [hidden, query], weight_key = U [hidden, in], weight = v [hidden].
struct ESPALIER_API AdditiveAttention {
  static constexpr bool one_cell = true;
  Parameter weight_query, weight_key, weight;
  Cell<Expr(Expr)> project;           // [U h; h]
  Cell<Expr(Expr, Many<Expr>)> cell;  // a query and projected rows
  AdditiveAttention(Scope scope, int query, int in, int hidden);
  Many<Expr> remember(Graph& g, std::span<const Expr> rows, ESPALIER_AT) const;  // computes U h once per row
  Expr operator()(Expr query, Many<Expr> memory, ESPALIER_AT) const { return cell(query, memory, at); }
};

// Raffel & Ellis 2016: Σ_k softmax(tanh(w · h_k + b)) h_k. A learned weighted mean over time, without a query.
// weight [in], bias [].
struct ESPALIER_API FeedForwardAttention {
  static constexpr bool one_cell = true;
  Parameter weight, bias;
  Cell<Expr(Many<Expr>)> cell;
  FeedForwardAttention(Scope scope, int in);
  Expr operator()(std::span<const Expr> rows, ESPALIER_AT) const { return cell(Many<Expr>(rows), at); }
};

// Vaswani et al. 2017, section 3.2.2, with the parameters of torch.nn.MultiheadAttention: in_proj_weight [3 dim, dim]
// and in_proj_bias [3 dim] yield query, key and value of a row; each head uses dim / heads elements of them;
// out_proj.weight [dim, dim] and out_proj.bias [dim] combine the heads.
struct ESPALIER_API MultiHeadAttention {
  struct Projected {
    Expr query, key, value;
  };
  Parameter in_proj_weight, in_proj_bias, out_weight, out_bias;
  Cell<Projected(Expr)> project;
  Cell<Expr(Expr, Many<KeyValue>)> cell;  // takes projected rows
  MultiHeadAttention(Scope scope, int dim, int heads);
  std::vector<Expr> operator()(Graph& g, std::span<const Expr> rows, ESPALIER_AT) const;  // each row attends to all
};

}  // namespace espalier::nn
