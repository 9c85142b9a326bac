#include <espalier/param/parameters.h>

#include <algorithm>

#include "base/utf8.h"
#include "param/parameter_storage.h"

namespace espalier {
namespace detail {

// Greedy matching that backtracks to the last star.
bool matches(std::string_view glob, std::string_view name) {
  size_t g = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g, ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace detail

namespace {

std::string join(const std::string& path, std::string_view name) {
  if (name.empty()) throw Error("parameters: a name in '" + path + "' is empty; at least one character is needed");
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

// Rejects names that a safetensors file cannot store.
void check_name(const std::string& name) {
  if (name == "__metadata__") throw Error("parameters: the name '" + name + "' is reserved by safetensors");
  for (std::string_view left = name; !left.empty();) {
    const size_t length = utf8_length(left);
    if (length == 0)
      throw Error("parameters: byte " + std::to_string(name.size() - left.size()) +
                  " of a name is not UTF-8; names must be UTF-8 to be stored in files");
    left.remove_prefix(length);
  }
}

std::shared_ptr<detail::ParameterStorage> make_parameter(detail::ParametersState& root, std::string name, Shape shape,
                                                         const Init& how, bool table) {
  if (root.parameters.contains(name)) throw Error("parameters: '" + name + "' already exists; names must be unique");
  check_name(name);
  auto storage = std::make_shared<detail::ParameterStorage>();
  storage->name = std::move(name);
  storage->shape = shape;
  storage->ordinal = root.made++;
  storage->table = table;
  fill(*storage, how, root.seed);
  root.parameters.emplace(storage->name, storage);
  return storage;
}

}  // namespace

const std::shared_ptr<detail::ParameterStorage>& Parameter::storage() const {
  if (!storage_) throw GraphError("parameter: it is empty; make it with Scope::add");
  return storage_;
}
const std::string& Parameter::name() const { return storage()->name; }
Shape Parameter::shape() const { return storage()->shape; }
Tensor Parameter::value() const {
  const detail::ParameterStorage& s = *storage();
  const float* data = s.data.host().data();
  return {s.shape, std::vector<float>(data, data + s.size())};
}
void Parameter::assign(const Tensor& value) {
  detail::ParameterStorage& s = *storage();
  if (value.shape() != s.shape)
    throw ShapeError("assign: " + s.name + str(s.shape) + " is given a tensor " + str(value.shape()) +
                     "; the shapes must be equal");
  std::copy(value.begin(), value.end(), s.data.host_to_write().begin());
}
void Parameter::freeze(bool on) { storage()->frozen = on; }
bool Parameter::frozen() const { return storage()->frozen; }

std::shared_ptr<detail::ParametersState> Scope::root() const {
  std::shared_ptr<detail::ParametersState> root = root_.lock();
  if (!root)
    throw GraphError("scope '" + path_ + "': its Parameters were destroyed; they must be alive while modules are made");
  return root;
}
Scope Scope::operator/(std::string_view name) const { return {root_, join(path_, name)}; }
Parameter Scope::add(std::string_view name, Shape shape, Init how) const {
  return Parameter(make_parameter(*root(), join(path_, name), shape, how, false));
}
Lookup Scope::add_lookup(std::string_view name, int rows, Shape row, Init how) const {
  std::array<int, Shape::max_rank + 1> dims{rows};
  std::copy_n(row.dims.begin(), row.rank, dims.begin() + 1);
  return Lookup(make_parameter(*root(), join(path_, name), Shape::of(dims.data(), row.rank + 1), how, true));
}

Parameters::Parameters(uint64_t seed) : state_(std::make_shared<detail::ParametersState>()) { state_->seed = seed; }
Parameters::Parameters(Parameters&&) noexcept = default;
Parameters& Parameters::operator=(Parameters&& other) noexcept {
  if (this != &other) {
    release();
    state_ = std::move(other.state_);
  }
  return *this;
}
Parameters::~Parameters() { release(); }

void Parameters::release() {
  if (!state_) return;
  for (auto& [name, slot] : state_->parameters) slot->detached = true;
  state_.reset();
}

Parameters::operator Scope() {
  if (!state_) detail::moved_from(detail::parameters_name);
  return {state_, {}};
}
Scope Parameters::operator/(std::string_view name) { return Scope(*this) / name; }

Parameter Parameters::operator[](std::string_view name) const {
  if (const auto it = state_->parameters.find(name); it != state_->parameters.end()) return Parameter(it->second);
  throw Error("parameters: no parameter is named '" + std::string(name) + "'; all() lists them");
}

std::vector<Parameter> Parameters::all(std::string_view glob) const {
  std::vector<Parameter> found;
  for (const auto& [name, slot] : state_->parameters)
    if (detail::matches(glob, name)) found.emplace_back(slot);
  std::sort(found.begin(), found.end(),
            [](const Parameter& a, const Parameter& b) { return a.storage()->ordinal < b.storage()->ordinal; });
  return found;
}

size_t Parameters::count(std::string_view glob) const {
  size_t n = 0;
  for (const Parameter& p : all(glob)) n += p.storage()->size();
  return n;
}

}  // namespace espalier
