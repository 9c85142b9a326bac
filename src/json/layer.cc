#include "json/layer.h"

namespace espalier::json {

using espalier::detail::CallArguments;
using espalier::detail::Tracing;

Layer::Layer(Scope scope, std::string_view name, Slots slots, const Making& making)
    : slots_(std::move(slots)), at_(making.at) {
  const int hidden = making.options.hidden;
  for (const auto& s : slots_) rows_ += s->is_row();
  const bool joined = rows_ > CallArguments::most;

  Tracing tracing(scope, name, {Shape{joined ? static_cast<int>(rows_) * hidden : hidden}}, 1, at_);
  tracing.argument();
  std::vector<Expr> parts;
  for (size_t i = 0; i < (joined ? 1 : rows_); ++i) parts.push_back(tracing.row());
  for (const auto& s : slots_) s->trace(tracing, parts);
  if (parts.empty()) parts.push_back(tracing.number().traced());  // 0, for want of anything else
  Expr x = concat(parts, 0, at_);
  if (x.shape().rank == 0) x = reshape(x, {1}, at_);
  const Parameter weight = scope.add("weight", {hidden, x.shape()[0]});
  const Parameter bias = scope.add("bias", {hidden}, init::constant(0));
  tracing.output(tanh(linear(x, weight, bias, at_)));
  program_ = tracing.finish();
}

Arguments Layer::arguments() const {
  Arguments a;
  a.rows.reserve(rows_);
  a.numbers.reserve(2 * slots_.size());
  a.indices.reserve(slots_.size());
  return a;
}

Expr Layer::operator()(Graph& g, Arguments a) const {
  if (a.rows.empty() && a.numbers.empty() && a.indices.empty()) a.numbers.emplace_back(0.f);
  if (a.rows.size() > CallArguments::most) a.rows = {concat(a.rows, 0, at_)};
  Expr out;
  espalier::detail::call(program_, &g, {a.rows, a.indices, a.numbers, {}}, at_, &out);
  return out;
}

}  // namespace espalier::json
