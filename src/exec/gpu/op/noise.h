// Random rows. The values are the same on every executor: they depend only on the key of the call, the site, and the
// position in the call. See exec/plain/noise.h.
#pragma once
#include <cmath>

#include "base/random.h"
#include "exec/gpu/op/work_items.h"
#include "op/kernel/noise.h"

namespace espalier {

// Self::number(key, element) returns one element; elements are counted from the start of their call.
template <class Self>
struct Draws : Elements<Self> {
  const uint64_t* keys;
  uint64_t site;
  bool list;  // elements are counted through all rows of a list
  Segments segments;

  explicit Draws(const OpLaunch<float>& l)
      : Elements<Self>(l),
        keys(l.keys),
        site(static_cast<uint64_t>(l.kernel->attrs.back())),
        list(l.kernel->list >= 0),
        segments(l.segments) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const int64_t call = list ? call_of(segments, row) : row;
    const int64_t within = (list ? row - segments.begin(call) : 0) * this->size.value() + e;
    const uint64_t key = keys == nullptr ? 0 : mix(keys[call], site);
    return static_cast<const Self&>(*this).number(key, static_cast<uint64_t>(within));
  }
};

template <>
struct WorkItems<op::DropoutMask> : Draws<WorkItems<op::DropoutMask>> {
  float p, kept;
  bool train;
  explicit WorkItems(const OpLaunch<float>& l)
      : Draws(l), p(unerase<op::MaskAttrs>(l.kernel->attrs).p), kept(1 / (1 - p)), train(l.train) {}
  ESPALIER_HOST_DEVICE float number(uint64_t key, uint64_t e) const {
    return !train ? 1 : uniform(key, e) < p ? 0 : kept;
  }
};

// The common part of the ops of op::Draw: a and b; outside training, all elements are 0 unless the attribute `always`
// is set. Self::drawn(key, element) returns one value.
template <class Self>
struct DrawsBy : Draws<Self> {
  float a, b;
  bool silent;
  explicit DrawsBy(const OpLaunch<float>& l) : DrawsBy(l, unerase<op::DrawAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float number(uint64_t key, uint64_t e) const {
    return silent ? 0 : static_cast<const Self&>(*this).drawn(key, e);
  }

 private:
  DrawsBy(const OpLaunch<float>& l, const op::DrawAttrs& attrs)
      : Draws<Self>(l), a(attrs.a), b(attrs.b), silent(!attrs.always && !l.train) {}
};

template <>
struct WorkItems<op::RandomNormal> : DrawsBy<WorkItems<op::RandomNormal>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return a + b * gaussian(key, e); }
};

template <>
struct WorkItems<op::RandomUniform> : DrawsBy<WorkItems<op::RandomUniform>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return a + (b - a) * uniform(key, e); }
};

template <>
struct WorkItems<op::RandomBernoulli> : DrawsBy<WorkItems<op::RandomBernoulli>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return uniform(key, e) < a ? b : 0; }
};

template <>
struct WorkItems<op::RandomGumbel> : DrawsBy<WorkItems<op::RandomGumbel>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const {
    const double v = -std::log(above_zero(key, e));  // above_zero may be 1, whose -log is 0
    return a - b * static_cast<float>(std::log(v < 0x1p-54 ? 0x1p-54 : v));
  }
};

}  // namespace espalier
