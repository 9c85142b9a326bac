#include "json/layer.h"

namespace espalier::json {

using espalier::detail::CallArguments;
using espalier::detail::Tracing;

Layer::Layer(Scope scope, std::string_view name, Readers readers, const BuildContext& context)
    : readers_(std::move(readers)), at_(context.at) {
  const int hidden = context.options.hidden;
  size_t rows = 0;
  for (const auto& s : readers_) rows += s->is_row();
  joined_ = rows > CallArguments::most;

  const Shape shape{joined_ ? static_cast<int>(rows) * hidden : hidden};
  Tracing tracing(scope, name, {&shape, 1}, 1, at_);
  tracing.argument();
  std::vector<Expr> parts;
  for (size_t i = 0; i < (joined_ ? 1 : rows); ++i) parts.push_back(tracing.row());
  for (const auto& s : readers_) s->trace(tracing, parts);
  empty_ = parts.empty();
  if (empty_) parts.push_back(tracing.number().traced());  // constant 0: the layer has no other input
  Expr x = concat(parts, 0, at_);
  if (x.shape().rank == 0) x = reshape(x, {1}, at_);
  const Parameter weight = scope.add("weight", {hidden, x.shape()[0]});
  const Parameter bias = scope.add("bias", {hidden}, init::constant(0));
  tracing.output(tanh(linear(x, weight, bias, at_)));
  program_ = tracing.finish();
}

Expr Layer::operator()(Graph& g, Arguments& stack, const Arguments::Mark& mark) const {
  const auto begin = [](const auto& all, size_t first) { return std::span(all).subspan(first); };
  if (empty_) stack.numbers.emplace_back(0.f);
  if (joined_) {
    const Expr joined = concat(begin(stack.rows, mark.rows), 0, at_);
    stack.rows.resize(mark.rows);
    stack.rows.push_back(joined);
  }
  Expr out;
  espalier::detail::call(
      program_, &g,
      {begin(stack.rows, mark.rows), begin(stack.indices, mark.indices), begin(stack.numbers, mark.numbers), {}}, at_,
      &out);
  stack.back_to(mark);
  return out;
}

}  // namespace espalier::json
