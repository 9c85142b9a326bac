// RecordSource: cuts the lines of predict's input into examples: lines, CSV records, blocks of lines, or JSON values.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "predict/line_source.h"
#include "task/training_task.h"

namespace espalier::app {

struct Record {
  std::string text{};   // the example; of a CSV record, the field with the example
  size_t line = 0;      // its first line in the input, from 1
  Json id{};            // null: it has none
  std::string error{};  // not empty: the record is invalid, and `text` is empty
};

// Appends lines to unfinished records.
class RecordAssembler {
 public:
  virtual ~RecordAssembler() = default;
  virtual void add(const std::string& line, size_t number) = 0;
  virtual void finish() {}      // the input has ended
  std::vector<Record> ready{};  // complete records
};

class RecordSource {
 public:
  // `id_column`: the column of a CSV file, or the field of a JSON record, that identifies an example. Empty: "id" in
  // any case, if there is one.
  RecordSource(LineSource lines, PredictInput how, std::string id_column);

  // Up to `most` lines of records, as soon as one is complete. Empty: end of the input, or interrupted. Error: the id
  // column does not exist.
  std::vector<Record> next(size_t most);

 private:
  std::unique_ptr<RecordAssembler> assembler_for(const std::string& first_line) const;

  LineSource lines_;
  PredictInput how_;
  std::string id_column_;
  std::unique_ptr<RecordAssembler> assembler_;  // null before the first line
  size_t number_ = 0;                           // of lines read
  bool ended_ = false;
};

}  // namespace espalier::app
