// ShardRecorder: records the examples of one shard. An example that waits for values stops; one round computes the
// values of all waiting examples, then each of them continues, until no example waits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <espalier/engine/batch.h>
#include <espalier/engine/waiting.h>
#include "engine/session/session.h"

namespace espalier::detail {

class ShardRecorder {
 public:
  // `who` is "record" or "run", the name in errors. "run" has one example, and its errors do not give the position.
  ShardRecorder(Session& session, const RecordOptions& options, std::string who)
      : session_(session), options_(options), who_(std::move(who)) {}

  // Records examples begin … end - 1 until all have ended. Without skip_bad, it stops at the first that fails.
  void record(Graph& graph, size_t begin, size_t end, const RecordOne& one);
  // Records one example, with the tape's current example state, until it waits or has ended. False: it failed.
  bool record_one(Graph& graph, size_t example, const RecordOne& one);
  // Runs rounds until no example waits. Without skip_bad, examples after the first failed one are cancelled.
  void finish();

  const std::vector<Failure>& failed() const { return failed_; }  // sorted by position, after finish()
  int rounds() const { return rounds_; }
  double round_seconds() const { return round_seconds_; }

 private:
  struct Example {
    size_t position;
    std::unique_ptr<Waiting> waiting;
    GraphTape::ExampleState state;
    GraphTape::Mark began, left;          // before and after the calls it recorded last
    uint32_t first_requested, requested;  // range in requested_: first index and number
  };
  void advance(Example& example);
  void run_round();
  void give_up();
  void fail(Example& example, std::exception_ptr error);
  std::exception_ptr with_example(size_t position) const;

  Session& session_;
  const RecordOptions& options_;
  std::string who_;
  std::vector<Example> waiting_;           // sorted by position
  std::vector<RequestedValue> requested_;  // of all waiting examples
  std::vector<uint32_t> values_;           // scratch memory of run_round()
  std::vector<Failure> failed_;
  int rounds_ = 0;
  double round_seconds_ = 0;
};

}  // namespace espalier::detail
