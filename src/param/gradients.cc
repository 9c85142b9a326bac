#include <espalier/param/gradients.h>

#include <algorithm>
#include <cmath>

#include "param/gradient_state.h"

namespace espalier {
namespace detail {

const GradientEntry* GradientState::find(const Slot* slot) const {
  for (size_t i = 0; i < used; ++i)
    if (entries[i].slot.get() == slot) return &entries[i];
  return nullptr;
}
GradientEntry* GradientState::find(const Slot* slot) {
  return const_cast<GradientEntry*>(static_cast<const GradientState*>(this)->find(slot));
}

GradientEntry& GradientState::entry(const std::shared_ptr<Slot>& slot, bool sparse) {
  if (GradientEntry* found = find(slot.get())) {
    if (!sparse && found->sparse) make_dense(*found);
    return *found;
  }
  if (used == entries.size()) entries.emplace_back();
  // An entry that served the same parameter before has the right capacity.
  for (size_t i = used; i < entries.size(); ++i)
    if (entries[i].slot == slot) {
      std::swap(entries[i], entries[used]);
      break;
    }
  GradientEntry& e = entries[used++];
  e.slot = slot;
  e.sparse = sparse;
  e.rows.clear();
  e.unset = !sparse;
  e.values.resize(sparse ? 0 : slot->size());
  return e;
}

void GradientState::reset() {
  used = 0;
  watched.clear();
  if (loss.use_count() > 1) loss = std::make_shared<double>(0);
  *loss = 0;
}

void make_dense(GradientEntry& entry) {
  if (!entry.sparse) return;
  const size_t width = entry.slot->row_size();
  std::vector<float> dense(entry.slot->size());
  for (size_t i = 0; i < entry.rows.size(); ++i)
    for (size_t k = 0; k < width; ++k)
      dense[static_cast<size_t>(entry.rows[i]) * width + k] = entry.values[i * width + k];
  entry.values = std::move(dense);
  entry.rows.clear();
  entry.sparse = false;
}

void set_to_zero(GradientEntry& entry) {
  if (entry.unset) std::fill(entry.values.begin(), entry.values.end(), 0.f);
  entry.unset = false;
}

namespace {

// Merges from the back, within the memory of `to`.
void add_sparse(GradientEntry& to, const GradientEntry& from) {
  const size_t width = to.slot->row_size();
  size_t a = to.rows.size(), b = from.rows.size(), n = 0;
  for (size_t i = 0, k = 0; i < a || k < b; ++n) {
    const bool both = i < a && k < b && to.rows[i] == from.rows[k];
    const bool ours = k == b || (i < a && to.rows[i] <= from.rows[k]);
    i += ours;
    k += both || !ours;
  }
  to.rows.resize(n);
  to.values.resize(n * width);
  while (b > 0) {
    const bool both = a > 0 && to.rows[a - 1] == from.rows[b - 1];
    const bool ours = a > 0 && to.rows[a - 1] >= from.rows[b - 1];
    --n;
    if (ours) --a;
    if (both || !ours) --b;
    const float* old = to.values.data() + a * width;
    const float* more = from.values.data() + b * width;
    float* sum = to.values.data() + n * width;
    to.rows[n] = ours ? to.rows[a] : from.rows[b];
    for (size_t k = 0; k < width; ++k) sum[k] = both ? old[k] + more[k] : ours ? old[k] : more[k];
  }
}

}  // namespace

void add(GradientEntry& to, const GradientEntry& from) {
  if (to.sparse && from.sparse) return add_sparse(to, from);
  make_dense(to);
  if (to.unset && !from.sparse) {
    to.values = from.values;
    to.unset = false;
    return;
  }
  set_to_zero(to);
  if (!from.sparse) {
    for (size_t i = 0; i < to.values.size(); ++i) to.values[i] += from.values[i];
    return;
  }
  const size_t width = to.slot->row_size();
  for (size_t i = 0; i < from.rows.size(); ++i)
    for (size_t k = 0; k < width; ++k)
      to.values[static_cast<size_t>(from.rows[i]) * width + k] += from.values[i * width + k];
}

void add(GradientState& to, const GradientState& from) {
  constexpr size_t stretch = size_t{1} << 14;  // elements: more than it costs to hand them over
  auto& parts = to.parts;
  parts.clear();
  for (size_t i = 0; i < from.used; ++i) {
    const GradientEntry& source = from.entries[i];
    GradientEntry& target = to.entry(source.slot, source.sparse);
    if (target.sparse || source.sparse || target.unset) {
      add(target, source);
      continue;
    }
    for (size_t at = 0; at < source.values.size(); at += stretch)
      parts.push_back(
          {target.values.data() + at, source.values.data() + at, std::min(stretch, source.values.size() - at)});
  }
  auto run = [&](size_t first, size_t last) {
    for (size_t p = first; p < last; ++p)
      for (size_t e = 0; e < parts[p].n; ++e) parts[p].to[e] += parts[p].from[e];
  };
  if (to.workers)
    to.workers->share(parts.size(), run);
  else
    run(0, parts.size());
}

}  // namespace detail

Gradients::Gradients(std::shared_ptr<detail::GradientState> state) : state_(std::move(state)) {}

Scalar Gradients::loss() const { return Scalar(state_->loss); }

Tensor Gradients::of(const Parameter& p) const {
  Tensor t{p.shape(), std::vector<float>(static_cast<size_t>(p.shape().size()))};
  if (const detail::GradientEntry* e = state_->find(p.slot().get())) {
    detail::GradientEntry copy = *e;
    detail::make_dense(copy);
    t.data = std::move(copy.values);
  }
  return t;
}

float Gradients::norm() const {
  double sum = 0;
  for (size_t i = 0; i < state_->used; ++i)
    for (float v : state_->entries[i].values) sum += static_cast<double>(v) * static_cast<double>(v);
  return static_cast<float>(std::sqrt(sum));
}

void Gradients::clip_norm(float limit) {
  const float n = norm();
  if (n <= limit) return;
  for (size_t i = 0; i < state_->used; ++i)
    for (float& v : state_->entries[i].values) v *= limit / n;
}

Gradients& Gradients::operator+=(Gradients&& other) {
  add(*state_, *other.state_);
  *state_->loss += *other.state_->loss;
  for (auto& w : other.state_->watched) state_->watched.push_back(std::move(w));
  return *this;
}

Gradients& Gradients::operator*=(float factor) {
  for (size_t i = 0; i < state_->used; ++i)
    for (float& v : state_->entries[i].values) v *= factor;
  for (auto& w : state_->watched)
    for (float& v : w.gradient.data) v *= factor;
  *state_->loss *= static_cast<double>(factor);
  return *this;
}

}  // namespace espalier
