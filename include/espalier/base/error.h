// The exceptions that the library throws, and the source location of the user's code that they report.
// Message format: who, what was given, what is needed, (file.cc:41), (example 12).
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <espalier/base/export.h>

namespace espalier {

// A line of the user's program; clang 14 lacks std::source_location. Functions take it as their last, defaulted
// argument. Operators cannot have one and take it through Operand.
struct Where {
  const char* file = "";
  int line = 0;
  static constexpr Where here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
};
#define ESPALIER_AT ::espalier::Where at = ::espalier::Where::here()

// " (tree.cc:41)", without the folder; empty if the line is unknown.
ESPALIER_API std::string str(Where at);

class ESPALIER_API Error : public std::exception {
 public:
  explicit Error(std::string message) : what_(std::move(message)) {}
  const char* what() const noexcept override { return what_.c_str(); }
  // Adds context that only a caller knows, such as the example.
  void append(const std::string& more) { what_ += more; }
  // Prepends a step to the path inside the record, from the innermost step outwards: within("[3]"), then
  // within(".atoms") make the message begin with "$.atoms[3]: ". The middle of a long path is omitted.
  void within(std::string_view step);
  void forget_path();

 private:
  std::string path() const;

  std::string what_;
  std::string outer_, inner_;  // the two ends of the path
  size_t left_out_ = 0;        // number of characters omitted between them
};

// Incompatible shapes. Thrown where the expression or the cell is written.
struct ESPALIER_API ShapeError : Error {
  using Error::Error;
};
// A row, label or position out of range. Thrown when the call is recorded.
struct ESPALIER_API IndexError : Error {
  using Error::Error;
};
// Invalid use of an Expr, graph or engine: an empty, stale or foreign Expr; a graph's value inside a cell; a graph that
// infer() has closed; a moved-from object; an engine used by two threads at once.
struct ESPALIER_API GraphError : Error {
  using Error::Error;
};
// NaN in immediate mode, or in values that a Task compares; non-finite logits from which an index is drawn.
struct ESPALIER_API NumberError : Error {
  using Error::Error;
};
// Invalid files (file:line:column), records and checkpoints.
struct ESPALIER_API DataError : Error {
  using Error::Error;
};
// A device that does not exist, or not enough memory. The engine stays usable.
struct ESPALIER_API DeviceError : Error {
  using Error::Error;
};
// A bug in espalier.
struct ESPALIER_API InternalError : Error {
  using Error::Error;
};

}  // namespace espalier
