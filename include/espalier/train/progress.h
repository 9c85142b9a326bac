// Progress: how far a loop is, on stderr. A bar on a terminal, now and then a plain line elsewhere.
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

// On a terminal, one line that is drawn again at most 10 times a second:
//   epoch 3  42% ━━━━━━━━━━──────────────  5,376/12,800  1,234/s  0:06 left  loss 0.432
// elsewhere, at most every 5 seconds and once at the end:
//   epoch 3: 5,376/12,800 (42%), 1,234/s, 0:06 left, loss 0.432
// The rate is the mean since construction, without what was skipped. For one thread.
class ESPALIER_API Progress {
 public:
  // Where to draw. What a test sets, and what the first constructor finds out by itself.
  struct Screen {
    std::ostream* out = nullptr;  // outlives the Progress; null draws nothing
    bool terminal = false;        // a line can be drawn over
    bool color = false;
    bool unicode = false;               // ━ and ─, else # and -
    int width = 80;                     // columns of the terminal; a line never wraps
    std::function<double()> seconds{};  // a clock that never goes back; empty: the steady clock
  };
  // stderr, if it is a terminal, how wide, and what NO_COLOR, TERM and the locale say.
  static Screen standard_error();

  // A total of 0 is unknown: no bar, no time left. Quiet draws nothing at all.
  Progress(std::string label, size_t total, bool quiet = false);
  Progress(std::string label, size_t total, Screen screen);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // finishes

  // n more are done. A shown number stays until its name is given again: advance(64, {{"loss", x}}).
  void advance(size_t n, std::initializer_list<std::pair<std::string_view, double>> show = {});

  // n more were done before, as in a resumed loop: they count as done, and not for the rate.
  void skip(size_t n);

  // A better estimate of the total, for work that ends by the clock.
  void expect(size_t total) { total_ = total; }

  // Draws the last state with the time it took and ends the line, so that other output can follow.
  // What comes after it draws nothing.
  void finish();

 private:
  void draw(double now);
  std::string bar_line(double now);
  std::string plain_line(double now) const;
  std::vector<std::string> facts(double now) const;

  std::string label_;
  size_t total_ = 0, done_ = 0, skipped_ = 0;  // done: with those skipped
  Screen screen_;
  std::vector<std::pair<std::string, double>> shown_;
  double started_ = 0, drawn_ = 0;
  size_t bar_ = 32;  // columns; only shrinks, so that the bar does not flicker as numbers grow and shrink
  bool finished_ = false;
};

}  // namespace espalier::train
