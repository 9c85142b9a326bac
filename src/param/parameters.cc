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
  return detail::joined(path, name);
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

void check_free(const detail::ParametersState& root, const std::string& name) {
  if (root.parameters.contains(name))
    throw Error("parameters: '" + str(detail::FullName(name, root.origin)) + "' already exists; names must be unique");
}

std::shared_ptr<detail::ParameterStorage> make_storage(detail::FullName name, Shape shape, Init how, bool table) {
  auto storage = std::make_shared<detail::ParameterStorage>();
  storage->name = std::move(name);
  storage->shape = shape;
  storage->init = std::move(how);
  storage->table = table;
  check_init(*storage);
  return storage;
}

std::shared_ptr<detail::ParameterStorage> add_parameter(const std::shared_ptr<detail::ParametersState>& root,
                                                        std::string name, Shape shape, Init how, bool table) {
  check_free(*root, name);
  check_name(name);
  auto storage = make_storage({name, root->origin}, shape, std::move(how), table);
  if (root->drawn == Drawn::at_once) storage->data.draw(root->origin->seed);
  storage->ordinal = root->made++;
  storage->owner = root;
  root->parameters.emplace(std::move(name), storage);
  return storage;
}

Shape table_shape(int rows, const Shape& row) {
  std::array<int, Shape::max_rank + 1> dims{rows};
  std::copy_n(row.dims.begin(), row.rank, dims.begin() + 1);
  return Shape::of(dims.data(), row.rank + 1);
}

// Held by all handles of a parameter without Parameters.
struct Handles {
  explicit Handles(std::shared_ptr<detail::ParameterStorage> parameter) : storage(std::move(parameter)) {}
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() { storage->detached = true; }
  std::shared_ptr<detail::ParameterStorage> storage;
};

}  // namespace

Parameter Parameter::make_free(Shape shape, Init how, bool table) {
  Parameter p(make_storage({}, shape, std::move(how), table));
  p.handles_ = std::make_shared<Handles>(p.storage_);
  return p;
}
Parameter Parameter::make(Shape shape, Init how) { return make_free(shape, std::move(how), false); }
Lookup Lookup::make(int rows, Shape row, Init how) {
  return Lookup(make_free(table_shape(rows, row), std::move(how), true));
}

const std::shared_ptr<detail::ParameterStorage>& Parameter::storage() const {
  if (!storage_) throw GraphError("parameter: it is empty; make it with Scope::add");
  return storage_;
}
std::string Parameter::name() const { return storage()->name.text(); }
void Parameter::rename(std::string name) {
  detail::ParameterStorage& s = *storage();
  if (name.empty())
    throw Error("rename: the new name of '" + str(s.name) + "' is empty; at least one character is needed");
  if (name == s.name.local()) return;
  check_name(name);
  if (const auto owner = s.owner.lock()) {
    check_free(*owner, name);
    std::string key = name;  // copied before anything changes
    auto entry = owner->parameters.extract(s.name.local());
    entry.key() = std::move(key);
    owner->parameters.insert(std::move(entry));
  }
  s.name.set_local(std::move(name));
}
Shape Parameter::shape() const { return storage()->shape; }
Tensor Parameter::value() const {
  const detail::ParameterStorage& s = *storage();
  const float* data = s.data.host().data();
  return {s.shape, std::vector<float>(data, data + s.size())};
}
void Parameter::assign(const Tensor& value) {
  detail::ParameterStorage& s = *storage();
  if (value.shape() != s.shape)
    throw ShapeError("assign: " + str(s.name) + str(s.shape) + " is given a tensor " + str(value.shape()) +
                     "; the shapes must be equal");
  s.data.assign(value.values());
}
bool Parameter::drawn() const { return storage()->data.drawn(); }
void Parameter::initialize(uint64_t seed) { storage()->data.draw(seed); }
void Parameter::freeze(bool on) { storage()->frozen = on; }
bool Parameter::frozen() const { return storage()->frozen; }

std::shared_ptr<detail::ParametersState> Scope::root() const {
  std::shared_ptr<detail::ParametersState> root = root_.lock();
  if (!root)
    throw GraphError("scope '" + path_ +
                     "': the parameters that it adds to were destroyed; they must be alive while modules are made");
  return root;
}
Scope Scope::operator/(std::string_view name) const { return {root_, join(path_, name)}; }
Parameter Scope::add(std::string_view name, Shape shape, Init how) const {
  return Parameter(add_parameter(root(), join(path_, name), shape, std::move(how), false));
}
Lookup Scope::add_lookup(std::string_view name, int rows, Shape row, Init how) const {
  return Lookup(add_parameter(root(), join(path_, name), table_shape(rows, row), std::move(how), true));
}

Parameters::Parameters(uint64_t seed, Drawn drawn) : state_(std::make_shared<detail::ParametersState>()) {
  state_->origin->seed = seed;
  state_->drawn = drawn;
}
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
  detail::detachments.fetch_add(1, std::memory_order_release);
  state_.reset();
}

Parameters::operator Scope() {
  if (!state_) detail::moved_from(detail::parameters_name);
  return {state_, {}};
}
Scope Parameters::operator/(std::string_view name) { return Scope(*this) / name; }

void Parameters::set_prefix(std::string prefix) {
  check_name(prefix);
  detail::FullName::set_prefix(*state_->origin, std::move(prefix));
}
std::string Parameters::prefix() const { return detail::FullName::prefix_of(*state_->origin); }

void Parameters::initialize(uint64_t seed) {
  state_->origin->seed = seed;
  for (Parameter& p : all()) p.initialize(seed);
}

Parameter Parameters::operator[](std::string_view name) const {
  const std::string before = detail::joined(prefix(), "");
  if (name.starts_with(before))
    if (const auto it = state_->parameters.find(name.substr(before.size())); it != state_->parameters.end())
      return Parameter(it->second);
  throw Error("parameters: no parameter is named '" + std::string(name) + "'; all() lists them");
}

std::vector<Parameter> Parameters::all(std::string_view glob) const {
  std::vector<Parameter> found;
  for (const auto& [name, storage] : state_->parameters)
    if (detail::matches(glob, storage->name.text())) found.emplace_back(storage);
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
