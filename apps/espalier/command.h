// What the subcommands share: how they are added to the program, and the statuses it exits with.
#pragma once
#include <charconv>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace espalier::app {

enum Status { ok = 0, failed = 1, usage = 2, interrupted = 130 };

// Adds a subcommand to the program. Where it was given, *chosen becomes what it does; that returns a Status.
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

// Adds an option that takes a number of at least `least`. CLI11's own numbers let "-1" pass as a large unsigned one.
template <class T>
CLI::Option* add_number(CLI::App& app, const char* name, T& value, T least, const char* unit, const char* what) {
  const auto read = [&value, least, name = std::string(name)](const CLI::results_t& words) {
    const std::string& word = words.back();
    T found{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (error != std::errc{} || end != word.data() + word.size() || !(found >= least))
      throw CLI::ValidationError(fmt::format("{} is '{}'; a{} number of {} or more is needed", name, word,
                                             std::is_integral_v<T> ? " whole" : "", least));
    value = found;
    return true;
  };
  return app.add_option(name, read, what)->type_name(unit);
}

}  // namespace espalier::app
