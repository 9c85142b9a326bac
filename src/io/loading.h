// Loading: a load that is planned and read completely before any object is changed.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <espalier/io/checkpoint.h>

#include "io/reader.h"
#include "optim/state.h"
#include "param/parameter_storage.h"

namespace espalier::io {

// Metadata keys hidden from users.
inline constexpr std::string_view ours = "espalier.";
inline const std::string rule_key = "espalier.optimizer.rule", step_key = "espalier.optimizer.step",
                         lr_key = "espalier.optimizer.lr", engine_seed_key = "espalier.engine.seed",
                         parameters_seed_key = "espalier.parameters.seed", epoch_key = "espalier.position.epoch",
                         minibatch_key = "espalier.position.minibatch", average_key = "espalier.average";
inline const std::string average_prefix = "average/";

// Whether the tensor is a moment of this rule, such as "adam.m/words.weight" of "adam".
bool is_moment(std::string_view name, std::string_view rule);

// Tensors that do not match, collected for one message.
class Misfits {
 public:
  void add(const std::string& name);
  void add(std::string name, const std::string& shown);
  std::string text(std::string_view one, std::string_view many) const;  // "; 2 tensors are missing: 'a', 'b'"
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::string text_;
};

class Loading {
 public:
  explicit Loading(const Reader& file);

  // Match an object to the file. DataError if the file is invalid; mismatches are only collected.
  void fit(Parameters& params);
  void fit(detail::OptimizerState& optimizer);
  void fit(Engine& engine);
  void fit(Position& position);
  void fit(optim::MovingAverage& average);

  void require_all() const;  // DataError if anything did not match
  void list_misfits(Loaded& to) const;
  void run();  // reads the data, then changes everything; if it throws, nothing has changed

 private:
  // The tensors of the file whose sum is one tensor of the model.
  using Sum = std::vector<const Stored*>;

  Sum take(const std::vector<std::vector<std::string>>& alternatives, const Shape& shape);
  void fit(const std::shared_ptr<detail::ParameterStorage>& storage);
  bool is_average(const std::string& name) const { return has(average_key) && name.starts_with(average_prefix); }
  bool has(const std::string& key) const { return file_.header().meta.contains(key); }
  template <class T>
  T number(const std::string& key) const;
  std::vector<float> read(const Sum& sum) const;

  const Reader& file_;
  std::map<std::string, const Stored*> waiting_;  // tensors not used yet
  std::string rule_;                              // of the optimiser in the file; empty if it has none
  std::vector<std::pair<std::shared_ptr<detail::ParameterStorage>, Sum>> values_;
  std::vector<std::pair<std::shared_ptr<detail::ParameterStorage>, std::vector<Sum>>> moments_;
  detail::OptimizerState* optimizer_ = nullptr;
  uint64_t step_ = 0;
  float lr_ = 0;
  detail::ParametersState* parameters_ = nullptr;  // null if the file has no seed for them
  uint64_t parameters_seed_ = 0;
  Engine* engine_ = nullptr;
  uint64_t engine_seed_ = 0;
  Position* position_ = nullptr;
  Position new_position_;
  optim::MovingAverage* average_ = nullptr;
  std::map<std::string, std::pair<Shape, Sum>> averages_;
  Misfits missing_, extra_, misshapen_;
  std::string lacks_;  // text for objects that the file does not contain: "; it contains no engine"
};

}  // namespace espalier::io
