#include "program.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "nearest.h"
#include "printable.h"
#include "say.h"

namespace espalier::app {
namespace {

// The innermost subcommand given, or the program itself.
const CLI::App& given(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return parsed.empty() ? program : given(*parsed.front());
}

// The command as the user wrote it: "espalier train sentiment".
std::string called(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return program.get_name() + (parsed.empty() ? "" : " " + called(*parsed.front()));
}

bool has_subcommands(const CLI::App& app) { return !app.get_subcommands({}).empty(); }

bool has_subcommand(const CLI::App& app, const std::string& name) {
  const auto all = app.get_subcommands({});
  return std::ranges::find(all, name, [](const CLI::App* command) { return command->get_name(); }) != all.end();
}

// The message for a command line without a subcommand.
std::string needed(const CLI::App& program) {
  const CLI::App& app = given(program);
  if (&app == &program || app.get_name() == "data") return "a command is needed";
  return app.get_name() == "make" ? "a kind of data is needed" : "a task is needed";
}

// The message for an unrecognised argument: a misspelt subcommand or option.
std::string unknown(const CLI::App& program) {
  const CLI::App& app = given(program);
  const std::string word = program.remaining(true).front();
  const bool option = word.starts_with('-');
  std::vector<std::string> known;
  if (option) {
    for (const CLI::Option* o : app.get_options())
      for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  }
  const std::string kind = option                     ? "option"
                           : &app == &program         ? "command"
                           : app.get_name() == "data" ? "command"
                           : app.get_name() == "make" ? "data"
                           : has_subcommands(app)     ? "task"
                                                      : "argument";
  const std::string name = word.substr(0, word.find('='));
  if (option && std::ranges::find(known, name) != known.end())  // given before its subcommand
    return fmt::format("{} must come after {}", name, app.get_name());
  for (const CLI::App* command : app.get_subcommands({}))  // given without the command it belongs to
    if (&app != &program && has_subcommand(*command, name))
      return fmt::format("there is no {} '{}'; did you mean '{} {} {}'?", kind, name, called(program),
                         command->get_name(), name);
  const std::string meant = nearest(name, known);
  return fmt::format("there is no {} '{}'", kind, name) +
         (meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
}

int misused(const CLI::App& program, const std::string& what) {
  say("{}: {}\nRun '{} --help' for usage.", called(program), printable(what), called(program));
  return usage;
}

int run(int argc, char** argv, CLI::App& program, const Command& chosen) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return program.exit(e);  // --help, --version
  } catch (const CLI::ExtrasError&) {
    return misused(program, unknown(program));
  } catch (const CLI::RequiredError& e) {
    if (!has_subcommands(given(program))) return misused(program, e.what());  // a required option of the subcommand
    if (!program.remaining(true).empty()) return misused(program, unknown(program));
    return misused(program, needed(program));
  } catch (const CLI::ParseError& e) {
    return misused(program, e.what());
  }
  return chosen();
}

}  // namespace

int run_program(int argc, char** argv, const char* name, const char* what, void (*add)(CLI::App&, Command*)) {
  // A closed standard descriptor would be reused by the next file opened, and output would then go into that file. A
  // closed stdout becomes a descriptor that cannot be written, so that lost output is an error.
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(standard, F_GETFD) < 0) open("/dev/null", standard == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit (ulimit -f) fails with an error instead
  int status = failed;
  try {
    CLI::App program(what, name);
    Command chosen;
    add(program, &chosen);
    status = run(argc, argv, program, chosen);
  } catch (const std::bad_alloc&) {
    say("{}: out of memory", name);
  } catch (const std::exception& e) {
    say("{}: {}", name, printable(e.what()));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    say("{}: cannot write to stdout", name);
    status = status == ok ? failed : status;
  }
  return status;
}

}  // namespace espalier::app
