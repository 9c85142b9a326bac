#include <espalier/nn/embedding.h>

namespace espalier::nn {

Embedding::Embedding(Scope p, int rows, int dim, Init how)
    : weight(p.add_lookup("weight", rows, {dim}, std::move(how))),
      cell(p.cell("lookup", {{}}, [&](Index i) { return lookup(weight, i); })) {}
Expr Embedding::operator()(Graph& g, Index index, Where at) const { return cell(g, index, at); }

}  // namespace espalier::nn
