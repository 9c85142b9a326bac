#include "engine/rounds.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <type_traits>
#include <typeinfo>

#include "exec/cpu/product.h"
#include "expr/record.h"

namespace espalier::detail {
namespace {

// A copy of an exception that is exactly an E, with more text; null: it is none of them. The exception itself may be
// stored somewhere, and be thrown by other examples, in other threads, so that it is never changed.
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

bool Rounds::stands_at(const GraphTape::Mark& mark) const {
  const GraphTape& tape = session_.tape;
  return tape.calls() == mark.calls && tape.values() == mark.values && tape.groups.size() == mark.groups;
}

bool Rounds::record(Graph& graph, size_t position, const RecordOne& one) {
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
  example.turn = tape.turn();
  example.left = tape.mark();
  const size_t failures = failed_.size();
  advance(example);
  if (example.waiting) waiting_.push_back(std::move(example));
  return failed_.size() == failures;
}

void Rounds::finish() {
  const SingleThread single;
  while (!waiting_.empty()) {
    if (count_ >= options_.max_rounds) {
      give_up();
      break;
    }
    run();
    wanted_.clear();
    session_.note_told();
    for (Example& e : waiting_)
      if (e.waiting) advance(e);
    std::erase_if(waiting_, [](const Example& e) { return !e.waiting; });
  }
  session_.end_telling();
  std::ranges::sort(failed_, {}, &Failure::example);
  GraphTape& tape = session_.tape;
  tape.end_turns();
  std::erase_if(tape.emitted, [&](const GraphTape::Emitted& e) {
    return std::ranges::binary_search(failed_, size_t{e.owner}, {}, &Failure::example);
  });
  for (GraphTape::Emitted& e : tape.emitted) e.owner = GraphTape::no_owner;
}

void Rounds::advance(Example& e) {
  GraphTape& tape = session_.tape;
  if (!stands_at(e.left)) e.began = tape.mark();
  tape.take_turn(e.turn);
  e.first_wanted = static_cast<uint32_t>(wanted_.size());
  try {
    e.waiting->advance(wanted_);
  } catch (...) {
    wanted_.resize(e.first_wanted);
    e.left = tape.mark();
    fail(e, with_example(e.position));
    return;
  }
  e.turn = tape.turn();
  e.left = tape.mark();
  e.wanted = static_cast<uint32_t>(wanted_.size()) - e.first_wanted;
  if (e.wanted == 0) e.waiting.reset();
}

void Rounds::run() {
  GraphTape& tape = session_.tape;
  values_.clear();
  for (Example& e : waiting_) {
    const size_t before = values_.size();
    try {  // what waits may want anything
      for (const Wanted& w : std::span(wanted_).subspan(e.first_wanted, e.wanted))
        values_.push_back(recorded_value(tape, w.value, who_, w.at));
    } catch (...) {
      values_.resize(before);
      fail(e, with_example(e.position));
    }
  }
  ++count_;
  const auto start = std::chrono::steady_clock::now();
  try {
    session_.run(values_);
    session_.fetch(values_);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    for (size_t i = waiting_.size(); i-- > 0;)  // the last to record is the first to be forgotten
      if (waiting_[i].waiting) fail(waiting_[i], error);
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Rounds::give_up() {
  for (size_t i = waiting_.size(); i-- > 0;) {
    Example& e = waiting_[i];
    try {
      throw GraphError(who_ + ": the " + (who_ == "run" ? "task" : "example") + " still waits after " +
                       std::to_string(count_) + " rounds; it must end, or max_rounds be larger" +
                       str(wanted_[e.first_wanted].at));
    } catch (...) {
      fail(e, with_example(e.position));
    }
  }
  waiting_.clear();
}

void Rounds::fail(Example& e, std::exception_ptr error) {
  e.waiting.reset();  // what the example holds goes before what it recorded
  GraphTape& tape = session_.tape;
  tape.end_turns();
  if (stands_at(e.left)) {
    try {
      tape.revert(e.began);
    } catch (const GraphError&) {  // it put another graph in the place of this one
    }
  }
  failed_.push_back({e.position, std::move(error)});
  if (options_.skip_bad) return;
  for (Example& other : waiting_)
    if (other.position > e.position) other.waiting.reset();
}

// Of the exception that is being handled. One of a class that is not known here is given as it is.
std::exception_ptr Rounds::with_example(size_t position) const {
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
