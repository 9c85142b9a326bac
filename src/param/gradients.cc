#include <espalier/param/gradients.h>

#include <algorithm>
#include <cmath>

#include "param/gradient_state.h"
#include "tensor/clip.h"

namespace espalier {
namespace detail {

const GradientEntry* GradientState::find(const ParameterStorage* storage) const {
  for (size_t i = 0; i < used; ++i)
    if (entries[i].parameter.get() == storage) return &entries[i];
  return nullptr;
}
GradientEntry* GradientState::find(const ParameterStorage* storage) {
  return const_cast<GradientEntry*>(static_cast<const GradientState*>(this)->find(storage));
}

GradientEntry& GradientState::entry(const std::shared_ptr<ParameterStorage>& storage, bool sparse) {
  if (GradientEntry* found = find(storage.get())) {
    if (!sparse && found->sparse) make_dense(*found);
    return *found;
  }
  if (used == entries.size()) entries.emplace_back();
  // Prefer an entry that held the same parameter before: it has the right capacity.
  for (size_t i = used; i < entries.size(); ++i)
    if (entries[i].parameter == storage) {
      std::swap(entries[i], entries[used]);
      break;
    }
  GradientEntry& e = entries[used++];
  e.parameter = storage;
  e.sparse = sparse;
  e.unset = !sparse;
  e.rows.renew(0);
  e.values.renew(sparse ? 0 : storage->size());
  return e;
}

void GradientState::reset() {
  used = 0;
  // Unused entries would keep detached parameters alive.
  std::erase_if(entries, [](const GradientEntry& e) { return e.parameter->detached.load(); });
  watched.clear();
  loss.clear();
}

DeviceMemory* GradientState::device() const {
  for (size_t i = 0; i < used; ++i)
    if (DeviceMemory* memory = entries[i].values.device()) return memory;
  return nullptr;
}

double LossSum::get() const {
  double sum = known_;
  for (const Term& t : terms_) sum += t.factor * t.number->get();
  return sum;
}
void LossSum::add(const LossSum& other) {
  known_ += other.known_;
  terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
}
void LossSum::scale(double factor) {
  known_ *= factor;
  for (Term& t : terms_) t.factor *= factor;
}
void LossSum::clear() {
  known_ = 0;
  terms_.clear();
}

namespace {

std::vector<std::span<float>> all_on(DeviceMemory& memory, GradientState& gradients) {
  std::vector<std::span<float>> all;
  for (size_t i = 0; i < gradients.used; ++i) {
    MirroredFloats& values = gradients.entries[i].values;
    float* const data = values.to_write_on(memory);
    all.emplace_back(data, values.size());
  }
  return all;
}

double squares_of(const GradientState& gradients) {
  if (DeviceMemory* memory = gradients.device()) {
    std::vector<std::span<const float>> all;
    for (size_t i = 0; i < gradients.used; ++i) {
      const MirroredFloats& values = gradients.entries[i].values;
      all.emplace_back(values.on(*memory), values.size());
    }
    const DeviceArray<double> squares(*memory, 1);
    memory->sum_of_squares(all, squares.data());
    double sum = 0;
    memory->download(squares.data(), sizeof sum, &sum);
    return sum;
  }
  double sum = 0;
  for (size_t i = 0; i < gradients.used; ++i) sum += sum_of_squares(gradients.entries[i].values.host());
  return sum;
}

void scale(GradientState& gradients, float factor) {
  if (DeviceMemory* memory = gradients.device()) return memory->scale(all_on(*memory, gradients), factor);
  for (size_t i = 0; i < gradients.used; ++i)
    for (float& v : gradients.entries[i].values.host_to_write()) v *= factor;
}

}  // namespace
}  // namespace detail

Gradients::Gradients(std::shared_ptr<detail::GradientState> state) : state_(std::move(state)) {}

// Copies the sum, so later changes to the gradients do not affect it.
Scalar Gradients::loss() const { return Scalar(std::make_shared<const detail::LossSum>(state_->loss)); }

Tensor Gradients::of(const Parameter& p) const {
  const detail::GradientEntry* e = state_->find(p.storage().get());
  if (e != nullptr && !e->sparse) return Tensor(p.shape(), {e->values.host().begin(), e->values.host().end()});
  std::vector<float> all(p.storage()->size());
  if (e != nullptr) {
    const size_t width = e->parameter->row_size();
    const AlignedVector<int32_t>& rows = e->rows.host();
    const float* values = e->values.host().data();
    for (size_t i = 0; i < rows.size(); ++i)
      std::copy_n(values + i * width, width, all.data() + static_cast<size_t>(rows[i]) * width);
  }
  return {p.shape(), std::move(all)};
}

float Gradients::norm() const { return static_cast<float>(std::sqrt(detail::squares_of(*state_))); }

void Gradients::clip_norm(float limit) {
  if (DeviceMemory* memory = state_->device()) return memory->clip_norm(detail::all_on(*memory, *state_), limit);
  const float factor = clip_factor(detail::squares_of(*state_), limit);
  if (factor != 1) detail::scale(*state_, factor);
}

Gradients& Gradients::operator+=(Gradients&& other) {
  if (other.state_ == state_) return *this *= 2;
  add(*state_, *other.state_);
  state_->loss.add(other.state_->loss);
  for (auto& w : other.state_->watched) state_->watched.push_back(std::move(w));
  return *this;
}

Gradients& Gradients::operator*=(float factor) {
  detail::scale(*state_, factor);
  for (auto& w : state_->watched) {
    std::vector<float> scaled = w.gradient.to_vector();
    for (float& v : scaled) v *= factor;
    w.gradient = {w.gradient.shape(), std::move(scaled)};
  }
  state_->loss.scale(static_cast<double>(factor));
  return *this;
}

}  // namespace espalier
