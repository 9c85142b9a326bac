// User-defined ops: calls the user's kernel.
#pragma once
#include "exec/launch.h"
#include "op/registry.h"

namespace espalier {

// A fixed-size array, so that a launch does not allocate.
template <class T>
using CustomIn = std::array<CustomRows<const T>, max_custom_inputs>;

template <class T>
CustomIn<T> rows_of_custom(const OpLaunch<T>& l, size_t inputs) {
  CustomIn<T> in;
  for (size_t i = 0; i < inputs; ++i) in[i] = {l.in[i].data, l.in[i].stride};
  return in;
}

template <class T>
void run_custom(const OpLaunch<T>& l) {
  const detail::CustomOpTable& op = *l.kernel->op->custom;
  const CustomIn<T> in = rows_of_custom(l, l.in.size());
  const CustomForward<T> f{l.rows, l.kernel->in_shapes, {in.data(), l.in.size()}, {l.out.data, l.out.stride}};
  if constexpr (std::is_same_v<T, float>)
    op.forward_float(l.kernel->attrs, f);
  else
    op.forward_double(l.kernel->attrs, f);
}

template <class T>
void run_custom_gradient(const OpLaunch<T>& l) {
  const detail::CustomOpTable& op = *l.kernel->op->custom;
  const size_t inputs = op.inputs.size();
  const CustomIn<T> in = rows_of_custom(l, inputs);
  std::array<CustomRows<T>, max_custom_inputs> din;
  int64_t at = 0;
  for (size_t i = 0; i < inputs; ++i) {
    din[i] = {l.out.data + at, l.out.stride};
    at += l.kernel->in_shapes[i].size();
  }
  CustomBackward<T> b;
  b.rows = l.rows;
  b.shapes = std::span(l.kernel->in_shapes).first(inputs);
  b.in = {in.data(), inputs};
  b.out = {l.in[inputs].data, l.in[inputs].stride};
  b.dy = {l.in[inputs + 1].data, l.in[inputs + 1].stride};
  b.din = {din.data(), inputs};
  if constexpr (std::is_same_v<T, float>)
    op.backward_float(l.kernel->attrs, b);
  else
    op.backward_double(l.kernel->attrs, b);
}

}  // namespace espalier
