// LineSource: the lines of a file descriptor, as they arrive.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <zlib.h>

namespace espalier::app {

struct Line {
  std::string text;
  bool too_long = false;  // `text` is empty
};

// Reads as many lines as are available: a typed line is answered at once, a file is read in full chunks. A regular file
// may be compressed (gzip). Skips a byte order mark.
class LineSource {
 public:
  static constexpr size_t longest = 64 << 20;  // bytes per line; a binary file may have no line breaks

  LineSource(int descriptor, std::string name);

  // Returns up to `most` lines, about 64 MiB in total at most; blocks until the first line is available. Empty: end of
  // the input, or interrupted. DataError: the input cannot be read.
  std::vector<Line> next(size_t most);
  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };

  Line take(size_t end);  // the line that ends before `end`
  bool is_ready() const;
  bool fill();  // false: interrupted

  int descriptor_;
  std::unique_ptr<gzFile_s, Close> file_;  // null: not a regular file
  std::string name_;
  std::string buffer_;
  size_t begin_ = 0, looked_at_ = 0;  // start of the next line; end of the bytes searched for a line break
  bool too_long_ = false;             // the beginning of the next line was discarded
  bool ended_ = false, is_first_ = true;
};

}  // namespace espalier::app
