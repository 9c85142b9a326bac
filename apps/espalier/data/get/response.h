// Response: what the server answers to one request, and what happens with the bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <espalier/train/progress.h>

#include "data/get/part.h"

namespace espalier::app {

class Response {
 public:
  Response(Part& part, std::string label, bool quiet);

  void add_header(std::string_view line);  // a status line drops the headers before it, which belong to a redirect
  void add_body(std::string_view bytes);   // DataError: the part cannot be written
  void finish();                           // after the last byte

  int status() const { return status_; }  // 0: not HTTP
  bool is_ok() const { return status_ == 0 || status_ == 200 || status_ == 206; }
  // The server has no bytes beyond the end of the part.
  bool is_complete() const;
  std::optional<uint64_t> total() const { return total_; }  // size of the whole file in bytes
  bool misplaced() const { return misplaced_; }             // a range that was not asked for

 private:
  void begin();
  std::string version() const;

  Part& part_;
  std::string label_;
  bool quiet_;
  uint64_t asked_;  // the first byte asked for
  int status_ = 0;
  std::string etag_, last_modified_;
  std::optional<uint64_t> length_, range_begin_, total_;
  bool begun_ = false, misplaced_ = false;
  std::optional<train::Progress> progress_;
};

}  // namespace espalier::app
