#include <espalier/block/fold.h>

namespace espalier::block::detail {

std::string_view name_of(Pooled how) {
  constexpr std::string_view names[] = {"sum", "mean", "max", "min"};
  return names[static_cast<size_t>(how)];
}

Expr pool(Pooled how, Graph& g, std::span<const Expr> rows, const Shape* of_none, Where at) {
  if (rows.empty()) {
    if (of_none == nullptr) refuse_empty(name_of(how), at);
    return zeros(g, *of_none, at);
  }
  switch (how) {
    case Pooled::sum:
      return espalier::sum(rows, at);
    case Pooled::mean:
      return espalier::mean(rows, at);
    case Pooled::max:
      return espalier::max(rows, at);
    case Pooled::min:
      return espalier::min(rows, at);
  }
  return {};
}

}  // namespace espalier::block::detail
