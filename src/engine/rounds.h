// Advances the examples of one shard: each records until it waits; what all of them wait for is one round; then all go
// on.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <espalier/engine/batch.h>
#include <espalier/engine/waiting.h>
#include "engine/session.h"

namespace espalier::detail {

class Rounds {
 public:
  // `who`, in errors: "record", or "run", which has one example and does not number it.
  Rounds(Session& session, const RecordOptions& options, std::string who)
      : session_(session), options_(options), who_(std::move(who)) {}

  // Records an example until it waits or has ended, in the graph's present turn. False: it failed.
  bool record(Graph& graph, size_t example, const RecordOne& one);
  // Runs rounds until none waits. Without skip_bad, examples after the first failed one are cancelled.
  void finish();

  const std::vector<Failure>& failed() const { return failed_; }  // by position, after finish()
  int count() const { return count_; }
  double seconds() const { return seconds_; }  // that the rounds took

 private:
  struct Example {
    size_t position;
    std::unique_ptr<Waiting> waiting;
    GraphTape::Turn turn;
    GraphTape::Mark began, left;  // of what it recorded last
    uint32_t first_wanted, wanted;
  };
  bool stands_at(const GraphTape::Mark& mark) const;
  void advance(Example& example);
  void run();
  void give_up();
  void fail(Example& example, std::exception_ptr error);
  std::exception_ptr with_example(size_t position) const;

  Session& session_;
  const RecordOptions& options_;
  std::string who_;
  std::vector<Example> waiting_;  // by position
  std::vector<Wanted> wanted_;    // by all of them
  std::vector<uint32_t> values_;
  std::vector<Failure> failed_;
  int count_ = 0;
  double seconds_ = 0;
};

}  // namespace espalier::detail
