// Declarations shared by the subcommands: registration with the program, and exit statuses.
#pragma once
#include <charconv>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace espalier::app {

enum Status { ok = 0, failed = 1, usage = 2, interrupted = 130 };

// Each function adds a subcommand to the program. If the user gives it, *chosen is set to its action, which returns a
// Status.
using Command = std::function<int()>;
void add_bench(CLI::App& program, Command* chosen);
void add_data(CLI::App& program, Command* chosen);
void add_demo(CLI::App& program, Command* chosen);
void add_eval(CLI::App& program, Command* chosen);
void add_explain(CLI::App& program, Command* chosen);
void add_fuzz(CLI::App& program, Command* chosen);
void add_new(CLI::App& program, Command* chosen);
void add_predict(CLI::App& program, Command* chosen);
void add_report(CLI::App& program, Command* chosen);
void add_tasks(CLI::App& program, Command* chosen);
void add_train(CLI::App& program, Command* chosen);

// Adds an option that takes a number >= `least`. CLI11's own parser accepts "-1" as a large unsigned number.
template <class T>
CLI::Option* add_number(CLI::App& app, const char* name, T& value, T least, const char* unit, const char* what) {
  const auto read = [&value, least, name = std::string(name)](const CLI::results_t& words) {
    const std::string& word = words.back();
    T found{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (error != std::errc{} || end != word.data() + word.size() || !(found >= least))
      throw CLI::ValidationError(fmt::format("{} is '{}'; must be {} >= {}", name, word,
                                             std::is_integral_v<T> ? "an integer" : "a number", least));
    value = found;
    return true;
  };
  return app.add_option(name, read, what)->type_name(unit);
}

}  // namespace espalier::app
