#include <espalier/param/gradients.h>

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
  e.values.clear();
  if (!sparse) e.values.resize(slot->size());
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

namespace {

void add_sparse(GradientEntry& to, const GradientEntry& from) {
  const size_t width = to.slot->row_size();
  std::vector<int32_t> rows;
  std::vector<float> values;
  rows.reserve(to.rows.size() + from.rows.size());
  values.reserve(to.values.size() + from.values.size());
  auto take = [&](const GradientEntry& e, size_t i) {
    rows.push_back(e.rows[i]);
    const auto at = e.values.begin() + static_cast<std::ptrdiff_t>(i * width);
    values.insert(values.end(), at, at + static_cast<std::ptrdiff_t>(width));
  };
  size_t a = 0, b = 0;
  while (a < to.rows.size() || b < from.rows.size()) {
    if (b == from.rows.size() || (a < to.rows.size() && to.rows[a] < from.rows[b])) {
      take(to, a++);
    } else if (a == to.rows.size() || from.rows[b] < to.rows[a]) {
      take(from, b++);
    } else {
      take(to, a++);
      for (size_t k = 0; k < width; ++k) values[values.size() - width + k] += from.values[b * width + k];
      ++b;
    }
  }
  to.rows = std::move(rows);
  to.values = std::move(values);
}

}  // namespace

void add(GradientEntry& to, const GradientEntry& from) {
  if (to.sparse && from.sparse) return add_sparse(to, from);
  make_dense(to);
  if (!from.sparse) {
    for (size_t i = 0; i < to.values.size(); ++i) to.values[i] += from.values[i];
    return;
  }
  const size_t width = to.slot->row_size();
  for (size_t i = 0; i < from.rows.size(); ++i)
    for (size_t k = 0; k < width; ++k)
      to.values[static_cast<size_t>(from.rows[i]) * width + k] += from.values[i * width + k];
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
  for (size_t i = 0; i < other.state_->used; ++i) {
    const detail::GradientEntry& from = other.state_->entries[i];
    add(state_->entry(from.slot, from.sparse), from);
  }
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
