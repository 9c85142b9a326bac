// The lines of a file, plain or gzip, or of a stream, one at a time: what every reader of texts reads from. A loop over
// the examples of a file of any length takes the memory of one line and one example:
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

namespace espalier::data {

class FileBytes;

class ESPALIER_API Lines {
 public:
  static constexpr size_t longest = size_t{1} << 24;  // of a line, in bytes: a binary file has no lines

  Lines(const std::string& path);  // DataError: cannot be opened
  Lines(const char* path) : Lines(std::string(path)) {}
  // What comes from a stream is given as soon as its line ends, so that a terminal is answered at once. The stream
  // outlives this; `name` stands for a path in errors.
  Lines(std::istream& stream, std::string_view name = "input");
  ~Lines();
  Lines(Lines&&) noexcept;
  Lines& operator=(Lines&&) noexcept;

  // To the next line, if there is one. A byte order mark before the first is skipped. DataError: cannot be read,
  // damaged gzip or other bytes behind it, too long.
  bool next();
  std::string_view line() const { return line_; }  // without its end; until next() is called
  const std::string& name() const { return name_; }
  size_t number() const { return number_; }  // of the line, from 1

  // A DataError that says where: "train.txt:3:17: what". The column is counted in bytes from 1.
  [[noreturn]] void fail(size_t column, const std::string& what) const;

 private:
  bool fill();  // more behind what is there; false: there is no more
  size_t read_file(char* to, size_t n);
  size_t read_stream(char* to, size_t n);

  std::string name_;
  std::unique_ptr<FileBytes> file_;  // or
  std::istream* stream_ = nullptr;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // of what was read and not yet given
  size_t number_ = 0;
  std::string_view line_;
};

}  // namespace espalier::data
