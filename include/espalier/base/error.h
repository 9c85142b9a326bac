// The errors a user can meet, and the user's line that they name.
// Grammar of a message: who, what was given, what is needed, (file.cc:41), (example 12).
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <espalier/base/export.h>

namespace espalier {

// A line of the user's program. Not std::source_location: clang 14 has none. Functions take it as a last default
// argument; operators, which cannot, through Operand.
struct Where {
  const char* file = "";
  int line = 0;
  static constexpr Where here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
};
#define ESPALIER_AT ::espalier::Where at = ::espalier::Where::here()

// " (tree.cc:41)", with the folder left out; empty when the line is not known.
ESPALIER_API std::string str(Where at);

class ESPALIER_API Error : public std::exception {
 public:
  explicit Error(std::string message) : what_(std::move(message)) {}
  const char* what() const noexcept override { return what_.c_str(); }
  // Adds what only a caller knows, such as the example.
  void append(const std::string& more) { what_ += more; }
  // Where inside a record it happened, told from the inside out: within("[3]"), then within(".atoms") make the text
  // begin with "$.atoms[3]: ". The middle of a long path is left out.
  void within(std::string_view step);
  void forget_path();

 private:
  std::string path() const;

  std::string what_;
  std::string outer_, inner_;  // of the path
  size_t left_out_ = 0;        // characters between them
};

// Shapes that do not fit: thrown where the expression or the cell is written.
struct ESPALIER_API ShapeError : Error {
  using Error::Error;
};
// A row, label or position out of range: thrown when recorded.
struct ESPALIER_API IndexError : Error {
  using Error::Error;
};
// An empty, stale or foreign Expr; a graph's value inside a cell; a value asked of a closed graph.
struct ESPALIER_API GraphError : Error {
  using Error::Error;
};
// Not a number: met in immediate mode, or by a Task that chooses by it.
struct ESPALIER_API NumberError : Error {
  using Error::Error;
};
// Files (file:line:column), records, checkpoints.
struct ESPALIER_API DataError : Error {
  using Error::Error;
};
// No such device, no memory: the engine stays usable.
struct ESPALIER_API DeviceError : Error {
  using Error::Error;
};
// A bug in espalier.
struct ESPALIER_API InternalError : Error {
  using Error::Error;
};

}  // namespace espalier
