// Runs the program as a user does, to test its output.
#pragma once
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace espalier::golden {

// A temporary file, deleted with its handle.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("no temporary file");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::fclose(file_); }
  int descriptor() const { return fileno(file_); }
  void fill(const std::string& text) const {
    std::fwrite(text.data(), 1, text.size(), file_);
    std::rewind(file_);
  }
  std::string text() const {
    std::rewind(file_);
    std::string all;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) all += static_cast<char>(c);
    return all;
  }

 private:
  std::FILE* file_;
};

// Whether the process catches the signal, according to the kernel.
inline bool catches(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:")) return std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1;
  return false;
}

struct Ran {
  int status = -1;  // 128 + n if signal n ended it, as in a shell
  std::string out, err;
};

struct RunOptions {
  bool interrupt = false;  // send `signal` once the program has installed its signal handlers
  std::string out_to{};    // redirects stdout to this file
  std::string in{};        // contents of stdin
  int signal = SIGINT;     // the signal to send
  std::string when{};      // also wait until this file contains `text`; empty: do not wait
  std::string text{};
  std::function<void()> instead{};  // called in place of sending the signal
  int ignored = 0;                  // a signal that is ignored when the program starts, as with nohup
  uint64_t largest_file = 0;        // maximum file size in bytes (ulimit -f); 0: no limit
  bool close_stdout = false;        // like >&- in a shell
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the program in a child process and waits for its end.
inline Ran run(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
  const Scratch in, out, err;
  in.fill(options.in);
  std::vector<char*> argv{const_cast<char*>(ESPALIER_PROGRAM)};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const int to = options.out_to.empty() ? out.descriptor() : open(options.out_to.c_str(), O_WRONLY);
    dup2(in.descriptor(), STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    if (options.close_stdout) close(STDOUT_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})  // the test's parent process may ignore some
      std::signal(signal, signal == options.ignored ? SIG_IGN : SIG_DFL);
    const rlimit limit{options.largest_file, options.largest_file};
    if (options.largest_file > 0) setrlimit(RLIMIT_FSIZE, &limit);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  if (options.interrupt) {
    const bool caught = options.signal != SIGKILL && options.signal != options.ignored;
    const auto is_time = [&] {
      return catches(child, caught ? options.signal : SIGTERM) &&
             (options.when.empty() || text_of(options.when).find(options.text) != std::string::npos);
    };
    while (ended == 0 && !is_time()) {
      ended = waitpid(child, &status, WNOHANG);
      usleep(1000);
    }
    if (ended == 0 && options.instead) options.instead();
    if (ended == 0 && !options.instead) kill(child, options.signal);
  }
  while (ended == 0 || (ended < 0 && errno == EINTR)) ended = waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

}  // namespace espalier::golden
