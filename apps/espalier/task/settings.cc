#include "task/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "nearest.h"

namespace espalier::app {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& given, const std::string& needed) {
  throw Error(fmt::format("{} is {}; must be {}", name, given, needed));
}

// Objects and arrays are named, not printed.
std::string shown(const Json& value) {
  if (value.is_structured()) return fmt::format("an {}", value.type_name());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- validation of given values; defaults are not checked

void check(const std::string& name, const Json& value, int least) {
  constexpr int most = 2'000'000'000;
  if (value.is_number() && value.get<double>() > most)
    refuse(name, value.dump(), fmt::format("an integer from {} to {}", least, most));
  if (!value.is_number_integer() || value.get<int64_t>() < least)
    refuse(name, shown(value), fmt::format("an integer >= {}", least));
}
void check(const std::string& name, const Json& value, uint64_t) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<int64_t>() >= 0))
    refuse(name, shown(value), "an integer >= 0");
}
void check(const std::string& name, const Json& value, const Fields::Range& range) {
  const bool fits = value.is_number() && value.get<double>() >= range.least && value.get<double>() <= range.most &&
                    std::isfinite(value.get<double>());
  if (fits) return;
  refuse(name, shown(value),
         std::isfinite(range.most) ? fmt::format("a number from {} to {}", range.least, range.most)
                                   : fmt::format("a number >= {}", range.least));
}
void check(const std::string& name, const Json& value, bool) {
  if (!value.is_boolean()) refuse(name, shown(value), "true or false");
}
void check(const std::string& name, const Json& value, const std::vector<std::string>& choices) {
  if (!value.is_string()) refuse(name, shown(value), "a string");
  try {
    (void)value.dump();  // throws if it is not UTF-8, which a checkpoint requires
  } catch (const nlohmann::json::exception&) {
    refuse(name, shown(value), "valid UTF-8");
  }
  if (choices.empty() || std::ranges::find(choices, value.get<std::string>()) != choices.end()) return;
  const std::string meant = nearest(value.get<std::string>(), choices);
  refuse(name, value.dump(),
         fmt::format("one of {}", fmt::join(choices, ", ")) +
             (meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

class Writing : public Fields {
 public:
  Json all = Json::object();
  void add(const std::string& name, int& value, int, const std::string&) override { all[name] = value; }
  void add(const std::string& name, uint64_t& value, const std::string&) override { all[name] = value; }
  void add(const std::string& name, double& value, Range, const std::string&) override { all[name] = value; }
  void add(const std::string& name, bool& value, const std::string&) override { all[name] = value; }
  void add(const std::string& name, std::string& value, const std::vector<std::string>&, const std::string&) override {
    all[name] = value;
  }
};

// Validates all values before assigning any.
class Reading : public Fields {
 public:
  explicit Reading(const Json& values) : values_(values) {}

  void finish() {
    for (const auto& [name, value] : values_.items()) {
      if (std::ranges::find(names_, name) != names_.end()) continue;
      const std::string meant = nearest(name, names_);
      throw Error(fmt::format("there is no setting '{}'", name) +
                  (meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
    }
    for (const auto& assign : assignments_) assign();
  }

  void add(const std::string& name, int& v, int least, const std::string&) override { take(name, v, least); }
  void add(const std::string& name, uint64_t& v, const std::string&) override { take(name, v, uint64_t{}); }
  void add(const std::string& name, double& v, Range range, const std::string&) override { take(name, v, range); }
  void add(const std::string& name, bool& v, const std::string&) override { take(name, v, bool{}); }
  void add(const std::string& name, std::string& v, const std::vector<std::string>& choices,
           const std::string&) override {
    take(name, v, choices);
  }

 private:
  template <class T, class Rule>
  void take(const std::string& name, T& variable, const Rule& rule) {
    names_.push_back(name);
    const auto found = values_.find(name);
    if (found == values_.end()) return;
    check(name, *found, rule);
    assignments_.push_back([&variable, value = found->get<T>()] { variable = value; });
  }

  const Json& values_;
  std::vector<std::string> names_;
  std::vector<std::function<void()>> assignments_;
};

class Flags : public Fields {
 public:
  Flags(CLI::App& app, Json* given) : app_(app), given_(given) {}

  void add(const std::string& name, int& v, int least, const std::string& what) override {
    flag(name, "N", what, std::to_string(v), least);
  }
  void add(const std::string& name, uint64_t& v, const std::string& what) override {
    flag(name, "N", what, std::to_string(v), uint64_t{});
  }
  void add(const std::string& name, double& v, Range range, const std::string& what) override {
    flag(name, "X", what, fmt::format("{}", v), range);
  }
  void add(const std::string& name, bool& v, const std::string& what) override {
    flag(name, "true|false", what, v ? "true" : "false", bool{});
  }
  void add(const std::string& name, std::string& v, const std::vector<std::string>& choices,
           const std::string& what) override {
    flag(name, choices.empty() ? "TEXT" : fmt::format("{}", fmt::join(choices, "|")), what, v, choices);
  }

 private:
  template <class Rule>
  void flag(const std::string& name, const std::string& type, const std::string& what, const std::string& standard,
            const Rule& rule) {
    const auto read = [given = given_, name, rule](const CLI::results_t& words) {
      const bool alone = std::is_same_v<Rule, bool> && words.back().empty();  // --name means true
      const Json value = alone ? Json(true) : json_of(words.back(), rule);
      try {
        check("--" + name, value, rule);
      } catch (const Error& e) {
        throw CLI::ValidationError(e.what());
      }
      (*given)[name] = value;
      return true;
    };
    CLI::Option* const option =
        app_.add_option("--" + name, read, standard.empty() ? what : fmt::format("{} [{}]", what, standard))
            ->type_name(type)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if constexpr (std::is_same_v<Rule, bool>) option->expected(0, 1);
  }

  static Json json_of(const std::string& word, const std::vector<std::string>&) { return word; }
  template <class Rule>
  static Json json_of(const std::string& word, const Rule&) {  // anything but a number or a boolean stays a string
    Json value = Json::parse(word, nullptr, false);
    return value.is_number() || value.is_boolean() ? value : Json(word);
  }

  CLI::App& app_;
  Json* given_;
};

}  // namespace

void each_setting(TrainingTask& task, Fields& fields) {
  fields.add("data", task.data, {}, "Folder with the data sets [$ESPALIER_DATA, ./data, ~/.local/share/espalier]");
  task.settings(fields);
  task.training.add_to(fields);
}

Json settings_of(TrainingTask& task) {
  Writing writing;
  each_setting(task, writing);
  return writing.all;
}

void set_settings(TrainingTask& task, const Json& values) {
  if (!values.is_object()) throw Error(fmt::format("settings are of type {}; must be an object", values.type_name()));
  Reading reading(values);
  each_setting(task, reading);
  reading.finish();
}

void add_flags(CLI::App& app, TrainingTask& task, Json* given) {
  *given = Json::object();
  Flags flags(app, given);
  each_setting(task, flags);
}

}  // namespace espalier::app
