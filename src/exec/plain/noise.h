// Random rows. The value of an element depends only on the key of its call, the site, and its position in the call.
#pragma once
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "exec/plain/plain.h"
#include "op/kernel/noise.h"

namespace espalier {

// Calls fill(key, first, y, n) for every row; `first` is the position of its first element in the call.
template <class T, class F>
void for_each_row(const OpLaunch<T>& l, F fill) {
  const auto site = static_cast<uint64_t>(l.kernel->attrs.back());
  const int64_t size = l.kernel->out_shape.size();
  auto fill_row = [&](int64_t call, int64_t first, int64_t row) {
    const uint64_t key = l.keys == nullptr ? 0 : mix(l.keys[call], site);
    fill(key, static_cast<uint64_t>((row - first) * size), l.out[row], size);
  };
  if (l.kernel->list < 0) {
    for (int64_t row = 0; row < l.rows; ++row) fill_row(row, row, row);
  } else {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t row = l.segments.begin(call); row < l.segments.end(call); ++row)
        fill_row(call, l.segments.begin(call), row);
  }
}

// y = draw(key, element) for every element.
template <class T, class F>
void for_each_draw(const OpLaunch<T>& l, F draw) {
  for_each_row(l, [&](uint64_t key, uint64_t first, T* y, int64_t n) {
    for (int64_t e = 0; e < n; ++e) y[e] = static_cast<T>(draw(key, first + static_cast<uint64_t>(e)));
  });
}

template <>
struct Plain<op::DropoutMask> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const float p = unerase<op::MaskAttrs>(l.kernel->attrs).p, kept = 1 / (1 - p);
    for_each_draw(l, [&](uint64_t key, uint64_t e) { return !l.train ? 1 : uniform(key, e) < p ? 0 : kept; });
  }
};

// The common part of the ops of op::Draw: outside training, all elements are 0 unless the attribute `always` is set.
template <class T, class F>
void draw_numbers(const OpLaunch<T>& l, F number) {
  const auto attrs = unerase<op::DrawAttrs>(l.kernel->attrs);
  const bool silent = !attrs.always && !l.train;
  for_each_draw(l, [&](uint64_t key, uint64_t e) { return silent ? 0 : number(attrs, key, e); });
}

template <>
struct Plain<op::RandomNormal> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    draw_numbers(l, [](const op::DrawAttrs& a, uint64_t key, uint64_t e) { return a.a + a.b * gaussian(key, e); });
  }
};
template <>
struct Plain<op::RandomUniform> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    draw_numbers(l,
                 [](const op::DrawAttrs& a, uint64_t key, uint64_t e) { return a.a + (a.b - a.a) * uniform(key, e); });
  }
};
template <>
struct Plain<op::RandomBernoulli> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    draw_numbers(l, [](const op::DrawAttrs& a, uint64_t key, uint64_t e) { return uniform(key, e) < a.a ? a.b : 0; });
  }
};
template <>
struct Plain<op::RandomGumbel> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    draw_numbers(l, [](const op::DrawAttrs& a, uint64_t key, uint64_t e) {
      // above_zero may be 1, whose -log is 0
      const double v = -std::log(above_zero(key, e));
      return a.a - a.b * static_cast<float>(std::log(std::max(v, 0x1p-54)));
    });
  }
};

}  // namespace espalier
