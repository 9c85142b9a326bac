#include <espalier/io/checkpoint.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>
#include <espalier/optim/optimizer.h>

#include "io/reader.h"
#include "io/writer.h"
#include "optim/state.h"
#include "param/slot.h"

namespace espalier::io {
namespace {

using detail::OptimizerState;
using detail::Slot;

constexpr std::string_view ours = "espalier.";  // begins the keys of metadata that users do not see
const std::string rule_key = "espalier.optimizer.rule", step_key = "espalier.optimizer.step",
                  lr_key = "espalier.optimizer.lr";

// "adam.m/words.weight" is the optimiser's in a file that holds an adam.
bool is_moment(std::string_view name, std::string_view rule) {
  return !rule.empty() && name.starts_with(rule) && name.substr(rule.size()).starts_with(".") &&
         name.find('/') != std::string_view::npos;
}

// Names that do not fit, gathered for one message.
class Misfits {
 public:
  void add(std::string name) {
    if (++count_ <= shown) names_ += (count_ > 1 ? ", " : "") + std::move(name);
  }
  // "; 2 tensors are missing: 'a', 'b'"
  std::string text(std::string_view one, std::string_view many) const {
    if (count_ == 0) return {};
    return fmt::format("; {} {}: {}{}", count_, count_ == 1 ? one : many, names_, count_ > shown ? ", …" : "");
  }

 private:
  static constexpr size_t shown = 4;
  size_t count_ = 0;
  std::string names_;
};

// What a load will do, decided before anything is read or changed.
class Loading {
 public:
  explicit Loading(const Reader& file) : file_(file) {
    for (const Stored& tensor : file.header().tensors) waiting_.emplace(tensor.name, &tensor);
    if (const auto rule = file.header().meta.find(rule_key); rule != file.header().meta.end()) rule_ = rule->second;
  }

  void fit(const Parameters& params) {
    for (const Parameter& p : params.all())
      if (const Stored* tensor = take(p.name(), p.shape())) values_.push_back({p.slot(), tensor});
    for (const auto& [name, tensor] : waiting_)
      if (!is_moment(name, rule_)) extra_.add(quote(name));
  }

  void fit(OptimizerState& optimizer) {
    if (rule_ != optimizer.rule()) {
      optimizer_misfit_ = rule_.empty() ? "; it holds no optimiser"
                                        : fmt::format("; it holds the state of the optimiser {}, not of {}",
                                                      quote(rule_), optimizer.rule());
      return;
    }
    optimizer_ = &optimizer;
    read_settings();
    for (const auto& slot : optimizer.parameters()) fit(slot);
    for (const auto& [name, tensor] : waiting_)
      if (is_moment(name, rule_)) extra_.add(quote(name));
  }

  void require_all() const {
    const std::string wrong = missing_.text("tensor is missing", "tensors are missing") +
                              extra_.text("tensor has no parameter", "tensors have no parameter") +
                              misshapen_.text("tensor has another shape", "tensors have another shape") +
                              optimizer_misfit_;
    if (!wrong.empty())
      throw DataError(file_.path() + ": does not fit:" + wrong.substr(1) + "; without strict, what fits is loaded");
  }

  void run() const {
    std::vector<std::vector<float>> values;
    values.reserve(values_.size());
    for (const auto& [slot, tensor] : values_) values.push_back(file_.read(*tensor));
    std::vector<OptimizerState::Restored> restored;
    for (const auto& [slot, tensors] : moments_) {
      restored.push_back({slot, {}});
      for (const Stored* tensor : tensors) restored.back().moments.push_back(file_.read(*tensor));
    }
    // All is read. From here only the first line can throw, and then it has changed nothing.
    if (optimizer_) optimizer_->restore(step_, lr_, std::move(restored));
    for (size_t i = 0; i < values.size(); ++i)
      std::copy(values[i].begin(), values[i].end(), values_[i].first->data.begin());
  }

 private:
  // The tensor of that name, if it fits; notes why not.
  const Stored* take(const std::string& name, const Shape& shape) {
    const auto it = waiting_.find(name);
    if (it == waiting_.end()) {
      missing_.add(quote(name));
      return nullptr;
    }
    const Stored* tensor = it->second;
    waiting_.erase(it);
    if (tensor->shape == shape) return tensor;
    misshapen_.add(fmt::format("{} is {} in the file, {} here", quote(name), str(tensor->shape), str(shape)));
    return nullptr;
  }

  // All moments of a parameter, or none: it had no step yet.
  void fit(const std::shared_ptr<Slot>& slot) {
    std::vector<std::string> names;
    bool any = false;
    for (size_t k = 0; k < optimizer_->moments().size(); ++k) {
      names.push_back(optimizer_->moment_name(k, *slot));
      any = any || waiting_.contains(names.back());
    }
    if (!any) return;
    std::vector<const Stored*> tensors;
    for (const std::string& name : names)
      if (const Stored* tensor = take(name, slot->shape)) tensors.push_back(tensor);
    if (tensors.size() == names.size()) moments_.emplace_back(slot, std::move(tensors));
  }

  template <class T>
  T number(const std::string& key) const {
    const auto& meta = file_.header().meta;
    const auto it = meta.find(key);
    const std::string text = it == meta.end() ? "" : it->second;
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
        value > std::numeric_limits<T>::max())
      throw DataError(fmt::format("{}: {} is {}; a number of at least 0 is needed", file_.path(), key, quote(text)));
    return value;
  }

  void read_settings() {
    step_ = number<uint64_t>(step_key);
    lr_ = number<float>(lr_key);
  }

  const Reader& file_;
  std::map<std::string, const Stored*> waiting_;  // tensors that nobody took yet
  std::string rule_;                              // of the optimiser in the file; empty: there is none
  std::vector<std::pair<std::shared_ptr<Slot>, const Stored*>> values_;
  std::vector<std::pair<std::shared_ptr<Slot>, std::vector<const Stored*>>> moments_;
  OptimizerState* optimizer_ = nullptr;
  uint64_t step_ = 0;
  float lr_ = 0;
  Misfits missing_, extra_, misshapen_;
  std::string optimizer_misfit_;
};

}  // namespace

void save(const std::string& path, const Checkpoint& checkpoint) {
  Meta meta = checkpoint.meta;
  for (const auto& [key, value] : meta)
    if (key.starts_with(ours))
      throw DataError(path + ": metadata " + quote(key) + " is given; keys with '" + std::string(ours) +
                      "' are espalier's own");
  std::vector<Piece> pieces;
  OptimizerState* optimizer = checkpoint.optimizer ? &checkpoint.optimizer->state() : nullptr;
  std::vector<Parameter> parameters;  // holds them until they are written
  if (checkpoint.params) parameters = checkpoint.params->all();
  for (const Parameter& p : parameters) {
    if (optimizer && is_moment(p.name(), optimizer->rule()))
      throw DataError(path + ": parameter " + quote(p.name()) + " has a name that the optimiser's state uses");
    pieces.push_back({p.name(), p.shape(), p.slot()->data.data()});
  }
  if (optimizer) {
    optimizer->visit([&](const std::string& name, const Shape& shape, float* data, size_t) {
      pieces.push_back({name, shape, data});
    });
    meta[rule_key] = optimizer->rule();
    meta[step_key] = std::to_string(optimizer->steps());
    meta[lr_key] = fmt::format("{}", optimizer->lr());
  }
  write_file(path, pieces, meta);
}

Meta load(const std::string& path, const Checkpoint& checkpoint, bool strict) {
  const Reader file(path);
  Loading loading(file);
  if (checkpoint.params) loading.fit(*checkpoint.params);
  if (checkpoint.optimizer) loading.fit(checkpoint.optimizer->state());
  if (strict) loading.require_all();
  Meta meta = file.header().meta;
  std::erase_if(meta, [](const auto& item) { return item.first.starts_with(ours); });
  loading.run();
  return meta;
}

}  // namespace espalier::io
