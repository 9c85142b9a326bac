// AnswerWriter: writes the answers of predict to stdout, as JSON lines or as CSV.
#pragma once
#include <string>
#include <vector>

#include "task/training_task.h"

namespace espalier::app {

class AnswerWriter {
 public:
  explicit AnswerWriter(bool csv) : csv_(csv) {}

  // An answer is an object; that of an invalid example has "error" and "line". As CSV, nested objects become columns
  // ("probabilities.positive"), the elements of an array are separated by blanks, and the last columns are "error" and
  // "line". The first valid answer decides the other columns; earlier invalid ones are kept until then.
  void write(const Json& answer);
  void finish();  // writes the answers that were kept

 private:
  void write_header(const Json& flat);
  void write_row(const Json& flat) const;

  bool csv_;
  std::vector<std::string> columns_;  // empty: the header is not yet written
  std::vector<Json> kept_;
};

}  // namespace espalier::app
