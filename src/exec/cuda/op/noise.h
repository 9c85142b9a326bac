// Random rows: the same numbers as on any other executor, for they follow from the key of the call, the site, and the
// place within the call. See exec/plain/noise.h.
#pragma once
#include <cmath>

#include "base/random.h"
#include "exec/cuda/op/pieces.h"
#include "op/kernel/noise.h"

namespace espalier {

// Self::number(key, element) is one element; elements are counted within their call.
template <class Self>
struct Draws : Elements<Self> {
  const uint64_t* keys;
  uint64_t site;
  bool list;  // elements are counted on from row to row of a list
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
struct Pieces<op::DropoutMask> : Draws<Pieces<op::DropoutMask>> {
  float p, kept;
  bool train;
  explicit Pieces(const OpLaunch<float>& l)
      : Draws(l), p(unerase<op::MaskAttrs>(l.kernel->attrs).p), kept(1 / (1 - p)), train(l.train) {}
  ESPALIER_HOST_DEVICE float number(uint64_t key, uint64_t e) const {
    return !train ? 1 : uniform(key, e) < p ? 0 : kept;
  }
};

// What an op of op::Draw shares: a and b, and silence outside training, where it is asked for. Self::drawn(key,
// element) is one number.
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
struct Pieces<op::RandomNormal> : DrawsBy<Pieces<op::RandomNormal>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return a + b * gaussian(key, e); }
};

template <>
struct Pieces<op::RandomUniform> : DrawsBy<Pieces<op::RandomUniform>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return a + (b - a) * uniform(key, e); }
};

template <>
struct Pieces<op::RandomBernoulli> : DrawsBy<Pieces<op::RandomBernoulli>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const { return uniform(key, e) < a ? b : 0; }
};

template <>
struct Pieces<op::RandomGumbel> : DrawsBy<Pieces<op::RandomGumbel>> {
  using DrawsBy::DrawsBy;
  ESPALIER_HOST_DEVICE float drawn(uint64_t key, uint64_t e) const {
    const double v = -std::log(above_zero(key, e));  // above_zero may be 1, whose -log is 0
    return a - b * static_cast<float>(std::log(v < 0x1p-54 ? 0x1p-54 : v));
  }
};

}  // namespace espalier
