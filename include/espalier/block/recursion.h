// Recursive blocks: fix for one block, Forward for mutual recursion. The shape of their rows is declared, so that
// blocks built on them can be checked before they are complete.
#pragma once
#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

// RAII: increases the nesting depth. DataError beyond the limit, or if the thread's stack is nearly full.
class ESPALIER_API Deeper {
 public:
  Deeper(const Graph& graph, int limit, Where at);
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper();

 private:
  const Graph& graph_;
};
[[noreturn]] ESPALIER_API void unresolved(std::string_view who, bool gone, Where at);
ESPALIER_API void check_limit(std::string_view who, int max_depth, Where at);
ESPALIER_API void check_declared(std::string_view who, const Shapes& known, const Shape& declared, Where at);

// The definition of a recursive block. RecursionOwner owns the body; the References inside the body only share this
// definition, so that destroying the owner breaks the cycle.
template <class In, class Out>
struct Recursive {
  const char* who;  // fix or Forward
  Shape declared;
  int limit;
  Where at;
  Block<In, Out> body{};
  bool gone = false;

  void resolve(Block<In, Out> whole) {
    check_declared(who, whole.shapes(), declared, at);
    body = std::move(whole);
  }
};

template <class In, class Out>
struct Reference final : Node<In, Out> {
  std::shared_ptr<const Recursive<In, Out>> to;
  explicit Reference(std::shared_ptr<const Recursive<In, Out>> to_) : to(std::move(to_)) {
    this->at = to->at;
    this->shapes.emplace(row_count<Out>, to->declared);
  }
  Out run(Graph& g, const In& x) const override {
    if (!to->body) [[unlikely]]
      unresolved(to->who, to->gone, to->at);
    const Deeper level(g, to->limit, to->at);
    if (to->body.shapes()) return to->body(g, x);
    Out out = to->body(g, x);
    check_recorded(out, to->declared, to->who, to->at);
    return out;
  }
};

// Owns the body and releases it on destruction.
template <class In, class Out>
struct RecursionOwner {
  std::shared_ptr<Recursive<In, Out>> recursive;
  RecursionOwner(const char* who, const Shape& declared, int limit, Where at)
      : recursive(std::make_shared<Recursive<In, Out>>(Recursive<In, Out>{who, declared, limit, at})) {
    check_limit(who, limit, at);
  }
  RecursionOwner(const RecursionOwner&) = delete;
  RecursionOwner& operator=(const RecursionOwner&) = delete;
  ~RecursionOwner() {
    recursive->gone = true;
    recursive->body = {};
  }
};

template <class In, class Out>
struct Fix final : Node<In, Out> {
  RecursionOwner<In, Out> owner;
  Block<In, Out> self;
  Fix(const Shape& declared, int limit, Where at_) : owner("fix", declared, limit, at_) {
    this->at = at_;
    self = Block<In, Out>(std::make_shared<Reference<In, Out>>(owner.recursive));
    this->shapes = self.shapes();
  }
  Out run(Graph& g, const In& x) const override { return self(g, x); }
};

}  // namespace detail

constexpr int deepest = 5'000;  // default of max_depth

// f(self) returns the block; inside it, `self` refers to the block itself. Every row of its result must have the
// declared shape. DataError if an example is nested deeper than max_depth.
template <class In, class Out, class F>
Block<In, Out> fix(Shape declared, F&& f, int max_depth = deepest, ESPALIER_AT) {
  static_assert(!std::is_reference_v<Out>, "fix: a recursive block must return a value, not a reference");
  auto whole = std::make_shared<detail::Fix<In, Out>>(declared, max_depth, at);
  auto body = f(whole->self);
  static_assert(std::is_same_v<decltype(body), Block<In, Out>>, "fix<In, Out>: f(self) must return a Block<In, Out>");
  if constexpr (std::is_same_v<decltype(body), Block<In, Out>>) whole->owner.recursive->resolve(std::move(body));
  return Block<In, Out>(whole);
}

// A block that is declared before it is defined, for mutual recursion: use f() inside other blocks, then define it with
// f.resolve(block). The Forward owns that block and must outlive the blocks that use it. Copies share one definition.
template <class In, class Out>
class Forward {
 public:
  explicit Forward(Shape declared, int max_depth = deepest, ESPALIER_AT)
      : owner_(std::make_shared<detail::RecursionOwner<In, Out>>("Forward", declared, max_depth, at)) {}
  Block<In, Out> operator()() const {
    return Block<In, Out>(std::make_shared<detail::Reference<In, Out>>(owner_->recursive));
  }
  void resolve(Block<In, Out> block) { owner_->recursive->resolve(std::move(block)); }

 private:
  std::shared_ptr<detail::RecursionOwner<In, Out>> owner_;
};

}  // namespace espalier::block
