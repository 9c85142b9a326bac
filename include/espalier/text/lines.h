// Lines: reads a plain or gzip file, or a stream, line by line. All readers of text formats take a Lines. A loop over
// the examples of a file holds one line and one example in memory, whatever the length of the file:
//
//   data::Lines lines("train.txt.gz");
//   for (data::sentiment::Tree tree; data::sentiment::next(lines, tree, words);) …
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::text {

class FileBytes;

class ESPALIER_API Lines {
 public:
  static constexpr size_t longest = size_t{1} << 24;  // longest line in bytes; detects binary files

  Lines(const std::string& path);  // DataError if the file cannot be opened
  Lines(const char* path) : Lines(std::string(path)) {}
  // Returns each line as soon as it is complete, so a terminal gets its answer at once. The stream must outlive this
  // object; errors show `name` in place of a path.
  Lines(std::istream& stream, std::string_view name = "input");
  ~Lines();
  Lines(Lines&&) noexcept;
  Lines& operator=(Lines&&) noexcept;

  // Advances to the next line; false at the end. Skips a byte order mark before the first line. DataError: a read
  // error, damaged gzip data, other bytes after the gzip data, or a line that is too long.
  bool next();
  std::string_view line() const { return line_; }  // without the line end; valid until the next call of next()
  const std::string& name() const { return name_; }
  size_t number() const { return number_; }  // line number, from 1

  // Throws a DataError with the position: "train.txt:3:17: what". Columns count bytes from 1.
  [[noreturn]] void fail(size_t column, const std::string& what) const;

 private:
  bool fill();  // appends input to the buffer; false at the end of the input
  size_t read_file(char* to, size_t n);
  size_t read_stream(char* to, size_t n);

  std::string name_;
  std::unique_ptr<FileBytes> file_;  // either file_
  std::istream* stream_ = nullptr;   // or stream_ is set
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // unread part of buffer_
  size_t number_ = 0;
  std::string_view line_;
};

}  // namespace espalier::text

namespace espalier::data {
using text::Lines;
}
