#include "engine/shard_recorder.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <type_traits>
#include <typeinfo>

#include "exec/cpu/product/product.h"
#include "expr/record.h"

namespace espalier::detail {
namespace {

// A copy of an exception whose type is exactly one of E, with `more` appended; null for any other type. The exception
// itself is not changed: examples in other threads may throw the same object.
template <class... E>
std::exception_ptr appended(const std::exception& error, const std::string& more) {
  std::exception_ptr result;
  auto try_one = [&]<class One>(std::type_identity<One>) {
    if (typeid(error) != typeid(One)) return;
    if constexpr (std::is_base_of_v<Error, One>) {
      One copy = static_cast<const One&>(error);
      copy.append(more);
      result = std::make_exception_ptr(std::move(copy));
    } else {
      result = std::make_exception_ptr(One(error.what() + more));
    }
  };
  (try_one(std::type_identity<E>{}), ...);
  return result;
}

}  // namespace

void ShardRecorder::record(Graph& graph, size_t begin, size_t end, const RecordOne& one) {
  for (size_t i = begin; i < end; ++i) {
    graph.example(options_.ids.empty() ? i : options_.ids[i]);
    if (!record_one(graph, i, one) && !options_.skip_bad) break;
  }
  finish();
}

bool ShardRecorder::record_one(Graph& graph, size_t position, const RecordOne& one) {
  GraphTape& tape = session_.tape;
  tape.owner = static_cast<uint32_t>(position);
  Example example{position, nullptr, {}, tape.mark(), {}, 0, 0};
  try {
    example.waiting = one(graph, position);
  } catch (...) {
    example.left = tape.mark();
    fail(example, with_example(position));
    return false;
  }
  if (!example.waiting) return true;
  example.state = tape.example_state();
  example.left = tape.mark();
  const size_t failures = failed_.size();
  advance(example);
  if (example.waiting) waiting_.push_back(std::move(example));
  return failed_.size() == failures;
}

void ShardRecorder::finish() {
  const SingleThread single;
  while (!waiting_.empty()) {
    if (rounds_ >= options_.max_rounds) {
      give_up();
      break;
    }
    run_round();
    requested_.clear();
    session_.begin_dependence();
    for (Example& e : waiting_)
      if (e.waiting) advance(e);
    std::erase_if(waiting_, [](const Example& e) { return !e.waiting; });
  }
  session_.end_dependence();
  std::ranges::sort(failed_, {}, &Failure::example);
  GraphTape& tape = session_.tape;
  tape.end_examples();
  std::erase_if(tape.emitted, [&](const GraphTape::Emitted& e) {
    return std::ranges::binary_search(failed_, size_t{e.owner}, {}, &Failure::example);
  });
  for (GraphTape::Emitted& e : tape.emitted) e.owner = GraphTape::no_owner;
}

void ShardRecorder::advance(Example& e) {
  GraphTape& tape = session_.tape;
  if (!tape.is_at(e.left)) e.began = tape.mark();
  tape.resume_example(e.state);
  e.first_requested = static_cast<uint32_t>(requested_.size());
  try {
    e.waiting->advance(requested_);
  } catch (...) {
    requested_.resize(e.first_requested);
    e.left = tape.mark();
    fail(e, with_example(e.position));
    return;
  }
  e.state = tape.example_state();
  e.left = tape.mark();
  e.requested = static_cast<uint32_t>(requested_.size()) - e.first_requested;
  if (e.requested == 0) e.waiting.reset();
}

void ShardRecorder::run_round() {
  GraphTape& tape = session_.tape;
  values_.clear();
  for (Example& e : waiting_) {
    const size_t before = values_.size();
    try {  // a Waiting may request any value, also one of another graph: throws
      for (const RequestedValue& w : std::span(requested_).subspan(e.first_requested, e.requested))
        values_.push_back(recorded_value(tape, w.value, who_, w.at));
    } catch (...) {
      values_.resize(before);
      fail(e, with_example(e.position));
    }
  }
  ++rounds_;
  const auto start = std::chrono::steady_clock::now();
  try {
    session_.run(values_);
    session_.fetch(values_);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    for (size_t i = waiting_.size(); i-- > 0;)  // the last to record is reverted first
      if (waiting_[i].waiting) fail(waiting_[i], error);
  }
  round_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void ShardRecorder::give_up() {
  for (size_t i = waiting_.size(); i-- > 0;) {
    Example& e = waiting_[i];
    try {
      throw GraphError(who_ + ": the " + (who_ == "run" ? "task" : "example") + " still waits after " +
                       std::to_string(rounds_) + " rounds; it must end, or max_rounds be larger" +
                       str(requested_[e.first_requested].at));
    } catch (...) {
      fail(e, with_example(e.position));
    }
  }
  waiting_.clear();
}

void ShardRecorder::fail(Example& e, std::exception_ptr error) {
  e.waiting.reset();  // destroys its objects before its calls are reverted
  GraphTape& tape = session_.tape;
  tape.end_examples();
  if (tape.is_at(e.left)) {
    try {
      tape.revert(e.began);
    } catch (const GraphError&) {  // the example has replaced the graph by another one
    }
  }
  failed_.push_back({e.position, std::move(error)});
  if (options_.skip_bad) return;
  for (Example& other : waiting_)
    if (other.position > e.position) other.waiting.reset();
}

// The exception that is being handled; if its type is in the list below, a copy with the position of the example.
std::exception_ptr ShardRecorder::with_example(size_t position) const {
  if (who_ == "run") return std::current_exception();
  try {
    throw;
  } catch (const std::exception& e) {
    const auto copy =
        appended<Error, ShapeError, IndexError, GraphError, NumberError, DataError, DeviceError, InternalError,
                 std::runtime_error, std::range_error, std::overflow_error, std::underflow_error, std::logic_error,
                 std::invalid_argument, std::out_of_range, std::domain_error, std::length_error>(
            e, " (example " + std::to_string(position) + ")");
    return copy ? copy : std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace espalier::detail
