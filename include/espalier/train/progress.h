// Progress: shows the progress of a loop on stderr. A bar on a terminal, occasional plain lines otherwise.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::train {

// On a terminal, one line, redrawn at most 10 times per second:
//   epoch 3  42% ━━━━━━━━━━──────────────  5,376/12,800  1,234/s  0:06 left  loss 0.432
// otherwise a new line, at most every 5 seconds and once at the end:
//   epoch 3: 5,376/12,800 (42%), 1,234/s, 0:06 left, loss 0.432
// The rate is the mean since construction, without skipped examples. Not thread-safe.
class ESPALIER_API Progress {
 public:
  // The output and its properties. The first constructor detects them; tests set them.
  struct Screen {
    std::ostream* out = nullptr;  // must outlive the Progress; null disables drawing
    bool terminal = false;        // a line can be overwritten
    bool color = false;
    bool unicode = false;               // ━ and ─, else # and -
    int width = 80;                     // columns of the terminal; longer lines are cut
    std::function<double()> seconds{};  // a monotonic clock; empty: std::chrono::steady_clock
  };
  // stderr, with properties from isatty, the terminal size, NO_COLOR, TERM and the locale.
  static Screen standard_error();

  // total = 0 means unknown: no bar, no remaining time. `quiet` disables drawing.
  Progress(std::string label, size_t total, bool quiet = false);
  Progress(std::string label, size_t total, Screen screen);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // calls finish()

  // Adds n to the number done. A shown value stays until its name is given again: advance(64, {{"loss", x}}).
  void advance(size_t n, std::initializer_list<std::pair<std::string_view, double>> show = {});

  // Adds n examples done before this loop, as when training resumes: they count as done, but not for the rate.
  void skip(size_t n);

  // Updates the estimated total, for work with a time limit.
  void expect(size_t total) { total_ = total; }

  // Draws the last state with the elapsed time and ends the line, so that other output can follow. Later calls draw
  // nothing.
  void finish();

 private:
  void draw(double now);
  std::string bar_line(double now);
  std::string plain_line(double now) const;
  std::vector<std::string> facts(double now) const;

  std::string label_;
  size_t total_ = 0, done_ = 0, skipped_ = 0;  // done_ includes skipped_
  Screen screen_;
  std::vector<std::pair<std::string, double>> shown_;
  double started_ = 0, drawn_ = 0;
  size_t bar_ = 32;  // columns; only shrinks, so that the bar does not flicker when the text changes length
  bool finished_ = false;
};

}  // namespace espalier::train
