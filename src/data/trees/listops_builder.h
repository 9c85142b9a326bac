// Builder: builds an Expression from its tokens in reading order. Shared by parse and generate.
#pragma once

#include <utility>
#include <vector>

#include <espalier/data/listops.h>

namespace espalier::data::listops {

class Builder {
 public:
  void digit(int digit) { add({digit, digit, 0, 0}); }
  void open(Op op) { open_.push_back({op, ready_.size()}); }
  void close();  // needs open_lists() > 0 and open_args() > 0

  size_t open_lists() const { return open_.size(); }
  size_t open_args() const { return ready_.size() - open_.back().ready; }  // arguments of the innermost open list
  Op open_op() const { return open_.back().op; }
  bool is_whole() const { return open_.empty() && !ready_.empty(); }
  Expression take() { return std::move(made_); }

 private:
  struct Open {
    Op op;
    size_t ready;  // index of its first argument in ready_
  };

  void add(Expression::Node node) {
    ready_.push_back(static_cast<uint32_t>(made_.nodes.size()));
    made_.nodes.push_back(node);
  }

  Expression made_;
  std::vector<Open> open_;
  std::vector<uint32_t> ready_;  // nodes without a parent yet
  std::vector<int> values_;      // scratch memory of close()
};

}  // namespace espalier::data::listops
