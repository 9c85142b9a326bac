#include "param/parameter_values.h"

#include <algorithm>
#include <mutex>

#include <espalier/base/error.h>

#include "base/random.h"
#include "param/parameter_storage.h"

namespace espalier::detail {
namespace {

// Protects first accesses. One mutex is enough: each parameter is drawn once.
std::mutex drawing;

}  // namespace

// Makes host memory without values, with padding that vector loads may read.
void ParameterValues::renew() const {
  const size_t n = of_.size();
  try {
    numbers_.renew(n + 16);
    std::fill(numbers_.host_to_write().begin() + static_cast<std::ptrdiff_t>(n), numbers_.host_to_write().end(), 0.f);
  } catch (const std::exception&) {  // bad_alloc or length_error
    numbers_ = {};
    throw DeviceError(str(of_.name) + ": " + str(of_.shape) + " takes " + std::to_string(n * sizeof(float)) +
                      " bytes, which cannot be allocated; make it smaller");
  }
}

void ParameterValues::draw_first() const {
  const std::lock_guard lock(drawing);
  if (!drawn()) draw_now(of_.name.origin() != nullptr ? of_.name.origin()->seed : 0);
}

void ParameterValues::draw_now(uint64_t seed) const {
  const std::string name = of_.name.text();
  if (name.empty() && depends_on_name(of_.init))
    throw GraphError("parameter " + str(of_.shape) +
                     ": it has no name and no values, and initial values depend on the name; give "
                     "it a name, or assign values");
  drawn_.store(false, std::memory_order_relaxed);  // if memory runs out, the next access draws again
  renew();
  fill(of_, mix(seed, mix(name)), numbers_.host_to_write());
  of_.init.data = std::vector<float>();  // frees the memory
  drawn_.store(true, std::memory_order_release);
}

void ParameterValues::draw(uint64_t seed) {
  if (drawn() && of_.init.kind == Init::Kind::data) return;
  draw_now(seed);
  change();
}

void ParameterValues::allocate() {
  if (drawn())
    numbers_.host();  // copies from a device
  else
    renew();
}

void ParameterValues::assign(std::span<const float> all) {
  if (!drawn()) renew();
  change();
  std::copy(all.begin(), all.end(), numbers_.host_to_write().begin());
  of_.init.data = std::vector<float>();  // frees the memory
  drawn_.store(true, std::memory_order_release);
}

}  // namespace espalier::detail
