// What an engine holds: its sessions, its threads, and memory that is kept from minibatch to minibatch.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "engine/session.h"
#include "engine/use.h"
#include "exec/cpu/product.h"
#include "expr/record.h"
#include "graph/append.h"

namespace espalier::detail {

inline void check_losses(const GraphTape& tape, std::span<const uint32_t> losses) {
  for (uint32_t v : losses)
    if (const Shape& shape = tape.shape(v); shape.rank != 0)
      throw ShapeError("backward: a loss is " + str(shape) + "; it must be a scalar: sum_elements(loss)");
}

struct EngineState {
  EngineOptions options;
  std::vector<std::shared_ptr<Session>> sessions;  // lent while somebody else holds one
  std::vector<std::shared_ptr<GradientState>> gradients;
  std::shared_ptr<Workers> workers;
  double record_s = 0;
  std::shared_ptr<EngineUser> shared_user = std::make_shared<EngineUser>();  // with pipelines, which may outlive it
  EngineUser& user = *shared_user;
  std::optional<size_t> failed_example;  // of the last recording

  std::shared_ptr<Session> lend() {
    for (const auto& s : sessions)
      if (s.use_count() == 1) return s;
    sessions.push_back(std::make_shared<Session>(options));
    return sessions.back();
  }
  std::shared_ptr<GradientState> lend_gradients() {
    for (const auto& g : gradients)
      if (g.use_count() == 1) {
        g->reset();
        return g;
      }
    gradients.push_back(std::make_shared<GradientState>());
    gradients.back()->workers = workers;
    return gradients.back();
  }

  Session& session_of(Expr x, std::string_view who) const {
    if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed");
    if (is_traced(x))
      throw GraphError(std::string(who) + ": a value inside a cell has no number; ask for the cell's result");
    for (const auto& s : sessions)
      if (s->tape.entry() == x.entry()) {
        recorded_value(s->tape, x, who, {});
        return *s;
      }
    graph_of(x, who, {});  // stale values belong to none
    throw GraphError(std::string(who) + ": the value belongs to another engine; ask the one that recorded it");
  }

  Session& session_of(const Graph& graph, std::string_view who) const {
    for (const auto& s : sessions)
      if (&s->tape == &graph.tape()) return *s;
    throw GraphError(std::string(who) + ": the graph belongs to another engine; ask the one that recorded it");
  }

  // Values of each session, in the order of the sessions' first value. Valid until it is called again.
  struct Share {
    Session* session = nullptr;
    std::vector<uint32_t> values;
  };
  std::span<Share> by_session(std::span<const Expr> xs, std::string_view who) {
    size_t used = 0, i = 0;
    for (Expr x : xs) {
      // Values of a graph mostly stand together.
      if (i == used || !is_value(shares[i].session->tape, x)) {
        Session& s = session_of(x, who);
        i = 0;
        while (i < used && shares[i].session != &s) ++i;
        if (i == used) {
          if (used == shares.size()) shares.emplace_back();
          shares[used].session = &s;
          shares[used++].values.clear();
        }
      }
      shares[i].values.push_back(x.id());
    }
    return std::span(shares).first(used);
  }

  // The values of xs, which by_session() has put into shares: each share is read at once, and none is waited for before
  // all are on their way.
  static PendingTensors read_later(std::span<const Expr> xs, std::span<Share> shared) {
    PendingTensors pending;
    for (const Share& share : shared) pending.rows.push_back(share.session->read_later(share.values));
    pending.places.reserve(xs.size());
    for (Expr x : xs)
      for (size_t i = 0; i < shared.size(); ++i)
        if (shared[i].session->tape.entry() == x.entry())
          pending.places.push_back({i, shared[i].session->tape.shape(x.id())});
    return pending;
  }

  // Where each shard begins: stretches of examples, as equal in size as their order allows. Given back to `begins`, the
  // memory is used again.
  std::vector<size_t> cut(size_t examples, std::span<const uint32_t> sizes) {
    if (!sizes.empty() && sizes.size() != examples)
      throw Error("record: " + std::to_string(sizes.size()) + " sizes are given for " + std::to_string(examples) +
                  " examples; one each is needed");
    const size_t shards = std::clamp<size_t>(examples, 1, static_cast<size_t>(options.threads));
    std::vector<size_t> first = std::exchange(begins, {});  // not shared: recordings may be nested
    first.assign(shards + 1, examples);
    uint64_t total = 0, before = 0;
    for (size_t i = 0; i < examples; ++i) total += sizes.empty() ? 1 : sizes[i];
    size_t shard = 0;
    for (size_t i = 0; i < examples; ++i) {
      const uint64_t size = sizes.empty() ? 1 : sizes[i];
      // An example belongs to the shard that its middle lies in.
      while (shard < shards && (2 * before + size) * shards >= 2 * total * shard) first[shard++] = i;
      before += size;
    }
    return first;
  }

  // f over all shares, in threads; the first failure in their order is thrown.
  template <class F>
  void in_threads(std::span<Share> shared, F&& f) {
    struct Running {
      explicit Running(EngineUser& of) : user(of) { user.running = true; }
      ~Running() { user.running = false; }
      EngineUser& user;
    };
    errors.assign(shared.size(), nullptr);
    auto one = [&](size_t i) {
      const SingleThread single;
      try {
        shared[i].session->beside = static_cast<unsigned>(shared.size());
        f(shared[i], i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    };
    {
      const Running running(user);
      if (shared.size() == 1)
        one(0);
      else
        workers->run(shared.size(), std::ref(one));
    }
    for (const auto& e : errors)
      if (e) std::rethrow_exception(e);
  }

  // What f(share, to) adds up for each share, in threads, and then all of it in their order.
  template <class F>
  Gradients gradients_of(std::span<Share> shared, F&& f) {
    parts.clear();
    for (size_t i = 0; i < std::max<size_t>(shared.size(), 1); ++i) parts.push_back(lend_gradients());
    in_threads(shared, [&](Share& share, size_t i) { f(share, *parts[i]); });
    Gradients total(parts[0]);
    for (size_t i = 1; i < parts.size(); ++i) total += Gradients(parts[i]);
    parts.clear();  // they are the caller's, or free
    return total;
  }

  // ---- memory that is kept from minibatch to minibatch
  Appender appender;
  std::vector<Share> shares;
  std::vector<size_t> begins;
  std::vector<std::exception_ptr> errors;
  std::vector<std::shared_ptr<GradientState>> parts;
};

}  // namespace espalier::detail
