#include <espalier/nn/fc.h>

namespace espalier::nn {

FC::FC(Scope p, int in, int out, const FCOptions& options)
    : linear(p, in, out),
      norm(options.layer_norm ? std::optional<LayerNorm>(std::in_place, p / "norm", out) : std::nullopt),
      cell(p.cell("fc", {{in}}, [&](Expr x) {
        x = linear(options.dropout > 0 ? dropout(x, options.dropout) : x);
        if (norm) x = (*norm)(x);
        return options.activation != nullptr ? options.activation(x, Where::here()) : x;
      })) {}

}  // namespace espalier::nn
