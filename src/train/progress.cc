// The text of a Progress and when it is drawn. screen.cc detects the terminal.
#include <espalier/train/progress.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ostream>

#include <fmt/core.h>

namespace espalier::train {
namespace {

constexpr double redraw_seconds = 0.1, plain_seconds = 5;
constexpr size_t bar_least = 8;  // columns

std::string with_commas(std::string digits) {
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string count_text(size_t count) { return with_commas(std::to_string(count)); }

std::string rate_text(double rate) {
  if (rate < 10) return fmt::format("{:.2f}/s", rate);
  if (rate < 100) return fmt::format("{:.1f}/s", rate);
  return with_commas(fmt::format("{:.0f}", rate)) + "/s";
}

std::string time_text(double seconds) {
  if (!(seconds < 1e6)) return "days";
  const long s = std::lround(std::max(0.0, seconds));
  char text[64];
  if (s < 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  }
  return text;
}

// Columns are counted as code points: correct for most scripts, without a table of widths.
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(std::string text, size_t most) {
  size_t seen = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && ++seen > most) {
      text.resize(at);
      break;
    }
  }
  return text;
}

std::string repeat(std::string_view piece, size_t times) {
  std::string text;
  while (times-- > 0) text += piece;
  return text;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// Rounds down, so that 100% means done.
size_t percent(size_t done, size_t total) {
  return done >= total ? 100 : static_cast<size_t>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Progress::Progress(std::string label, size_t total, bool quiet)
    : Progress(std::move(label), total, quiet ? Screen{} : standard_error()) {}

Progress::Progress(std::string label, size_t total, Screen screen)
    : label_(std::move(label)), total_(total), screen_(std::move(screen)) {
  if (!screen_.out) return;
  if (!screen_.seconds) screen_.seconds = steady_seconds;
  started_ = drawn_ = screen_.seconds();
  if (screen_.terminal) draw(started_);  // the first minibatch may take long
}

Progress::~Progress() {
  try {
    finish();
  } catch (...) {  // a stream that throws must not terminate the program
  }
}

void Progress::advance(size_t n, std::initializer_list<std::pair<std::string_view, double>> show) {
  if (!screen_.out || finished_) return;
  done_ += n;
  for (const auto& [name, value] : show) {
    const auto same = [wanted = name](const auto& entry) { return entry.first == wanted; };
    const auto found = std::find_if(shown_.begin(), shown_.end(), same);
    if (found != shown_.end()) {
      found->second = value;
    } else {
      shown_.emplace_back(name, value);
    }
  }
  const double now = screen_.seconds();
  if (now - drawn_ >= (screen_.terminal ? redraw_seconds : plain_seconds)) draw(now);
}

void Progress::skip(size_t n) {
  done_ += n;
  skipped_ += n;
}

void Progress::finish() {
  if (!screen_.out || finished_) return;
  finished_ = true;
  draw(screen_.seconds());
}

// One write per drawing, so that lines of other threads do not interleave.
void Progress::draw(double now) {
  drawn_ = now;
  std::string text;
  if (screen_.terminal) {
    text = "\r" + bar_line(now) + "\x1b[K";  // \x1b[K clears the rest of a longer line
    if (finished_) text += "\n";
  } else {
    text = plain_line(now) + "\n";
  }
  *screen_.out << text << std::flush;
}

// The text after the bar: count, rate, time, the shown values.
std::vector<std::string> Progress::facts(double now) const {
  std::vector<std::string> result;
  result.push_back(count_text(done_) + (total_ ? "/" + count_text(total_) : ""));
  const double elapsed = now - started_;
  const double rate = elapsed > 0 ? static_cast<double>(done_ - skipped_) / elapsed : 0;
  if (rate > 0) result.push_back(rate_text(rate));
  if (finished_) {
    result.push_back("in " + time_text(elapsed));
  } else if (total_ == 0) {
    result.push_back(time_text(elapsed));
  } else if (rate > 0 && done_ < total_) {
    result.push_back(time_text(static_cast<double>(total_ - done_) / rate) + " left");
  }
  for (const auto& [name, value] : shown_) result.push_back(name + " " + fmt::format("{:.4g}", value));
  return result;
}

std::string Progress::plain_line(double now) const {
  auto parts = facts(now);
  if (total_) parts[0] += " (" + std::to_string(percent(done_, total_)) + "%)";
  return label_ + ": " + join(parts, ", ");
}

std::string Progress::bar_line(double now) {
  const std::string right = join(facts(now), "  ");
  // The last column stays free: some terminals wrap as soon as it is written.
  const size_t most = static_cast<size_t>(std::max(screen_.width, 2)) - 1;
  if (!total_) return cut(label_ + "  " + right, most);

  std::string share = std::to_string(percent(done_, total_)) + "%";
  share.insert(0, 4 - share.size(), ' ');  // fixed width, so that the bar does not move
  const std::string left = label_ + " " + share;
  const size_t fixed = columns(left) + columns(right) + 3;  // blanks around the bar
  bar_ = std::min(bar_, most > fixed ? most - fixed : 0);
  if (bar_ < bar_least) return cut(left + "  " + right, most);

  const double done = static_cast<double>(std::min(done_, total_)) / static_cast<double>(total_);
  const auto full = static_cast<size_t>(done * static_cast<double>(bar_));
  std::string filled = repeat(screen_.unicode ? "━" : "#", full);
  std::string empty = repeat(screen_.unicode ? "─" : "-", bar_ - full);
  if (screen_.color) {
    filled = "\x1b[32m" + filled + "\x1b[0m";
    empty = "\x1b[2m" + empty + "\x1b[0m";
  }
  return left + " " + filled + empty + "  " + right;
}

}  // namespace espalier::train
