// Block<In, Out>: a function (Graph&, const In&) -> Out that records a part of an example. Blocks are composed with >>
// and are cheap to copy: copies share one node. Out is a row, a struct or sequence of rows, a host value, or a const T&
// into the example. Blocks only record calls. Recording is const and thread-safe.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <espalier/block/shapes.h>

namespace espalier::block {
namespace detail {

// The path of a result inside the example: ".atoms[0]". The path of a computed result is that of the part of the
// example from which it was computed; steps into the computed result are not added.
struct Path {
  std::string text;
  bool computed = true;
};
inline Path operator+(Path a, const Path& b) {
  if (!a.computed) a = {a.text + b.text, b.computed};
  return a;
}

// Prepends a path to the path of an error. Drops the error's own steps first if they lead into a computed result.
inline void enter(Error& e, const Path& from) {
  if (from.computed) e.forget_path();
  e.within(from.text);
}

// For messages. in_quotes: the text in quotes, escaped and shortened. name_in_text: a name, in quotes unless it is a
// word. step_to: a step of a path: ".atoms", "[3]", "[-1]", ["a field"].
ESPALIER_API std::string in_quotes(std::string_view text);
ESPALIER_API std::string name_in_text(std::string_view name);
ESPALIER_API std::string step_to(std::string_view field);
ESPALIER_API std::string step_to(long long element);
template <std::integral I>
std::string step_to(I element) {
  return step_to(static_cast<long long>(element));
}

template <class In, class Out>
struct Node {
  Where at;
  Shapes shapes;
  virtual ~Node() = default;
  virtual Out run(Graph& graph, const In& x) const = 0;
  virtual Path path() const { return {}; }
};

[[noreturn]] ESPALIER_API void empty_block();

}  // namespace detail

template <class I, class O>
class Block {
 public:
  using In = I;
  using Out = O;
  using Node = detail::Node<I, O>;

  Block() = default;  // empty: using it is a GraphError
  Out operator()(Graph& graph, const In& x) const { return run(graph, x); }
  Out operator()(Graph& graph, const In&& x) const
    requires(!std::is_same_v<Out, detail::Settled<Out>>)
  = delete;  // the result would refer into a temporary

  explicit operator bool() const { return node_ != nullptr; }
  // The shapes of the result, as far as they are known before recording.
  const Shapes& shapes() const { return node().shapes; }

  // Internal.
  Out run(Graph& graph, const In& x) const {
    if (!node_) [[unlikely]]
      detail::empty_block();
    return node_->run(graph, x);
  }
  explicit Block(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node& node() const {
    if (!node_) detail::empty_block();
    return *node_;
  }

 private:
  std::shared_ptr<const Node> node_;
};

// A part is a block whose input type is not fixed yet: scalar(), map(f), sum(). It can be used like a function.
struct Part {};

namespace detail {

template <class T>
concept AnyPart = std::derived_from<T, Part>;

// The path of a block or part. A part that selects an element of its input defines path().
template <class F>
Path path_of(const F& f) {
  if constexpr (AnyBlock<F>)
    return f.node().path();
  else if constexpr (requires { f.path().computed; })
    return f.path();
  else if constexpr (requires { f.path(); })
    return {f.path(), false};
  else
    return {};
}

// The known shapes of f's result, given the shapes of its argument, which a Block does not need.
template <class F, class A>
Shapes known_after(const F& f, const Shapes& given, Where at) {
  if constexpr (AnyBlock<F>)
    return f.shapes();
  else
    return shapes_after<F, A>(f, given, at);
}

template <class In, class F, class Out>
struct Function final : Node<In, Out> {
  F f;
  explicit Function(const F& f_, Where at_) : f(f_) {
    this->at = at_;
    this->shapes = known_after<F, const In&>(f, std::nullopt, at_);
  }
  Out run(Graph& g, const In& x) const override { return apply<F, const In&>(f, g, this->at, x); }
  Path path() const override { return path_of(f); }
};

template <class In, class A, class F, class Out>
struct Then final : Node<In, Out> {
  Block<In, A> first;
  F then;
  Then(const Block<In, A>& first_, const F& then_) : first(first_), then(then_) {
    this->at = first.node().at;
    this->shapes = known_after<F, A>(then, first.shapes(), this->at);
  }
  Out run(Graph& g, const In& x) const override {
    Passed<A> between = first(g, x);
    try {
      return apply<F, A>(then, g, this->at, static_cast<Passed<A>>(between));
    } catch (Error& e) {
      enter(e, first.node().path());
      throw;
    }
  }
  Path path() const override { return first.node().path() + path_of(then); }
};

// Conversions to blocks: a Tensor to a constant (leaf.h), a tuple of blocks to a record (all_of.h).
template <class T>
struct Converted {
  using type = T;
  static T from(const T& x) { return x; }
};
template <class T>
using AsBlock = typename Converted<std::decay_t<T>>::type;
template <class T>
AsBlock<T> as_block(const T& x) {
  return Converted<std::decay_t<T>>::from(x);
}

// The composition of two parts.
template <class F, class G>
struct Chain : Part {
  F first;
  G then;
  Chain(const F& f, const G& g) : first(f), then(g) {}

  template <class X>
    requires Takes<F, const X&> && Takes<G, After<F, const X&>>
  After<G, After<F, const X&>> operator()(Graph& g, const X& x, Where at = {}) const {
    using A = After<F, const X&>;
    Passed<A> between = apply<F, const X&>(first, g, at, x);
    try {
      return apply<G, A>(then, g, at, static_cast<Passed<A>>(between));
    } catch (Error& e) {
      enter(e, path_of(first));
      throw;
    }
  }
  template <class X>
  Shapes shapes_after(const Shapes& given, Where at) const {
    return known_after<G, After<F, X>>(then, known_after<F, X>(first, given, at), at);
  }
  Path path() const { return path_of(first) + path_of(then); }
};

}  // namespace detail

// Composes a block with a block, part, cell, module or lambda, with a Tensor (a constant), or with a tuple of blocks (a
// record). If the left side returns a tuple that the right side does not take as a whole, the elements of the tuple
// become the arguments. Known shapes are checked here.
template <class In, class A, class F>
auto operator>>(const Block<In, A>& first, const F& then) {
  using G = detail::AsBlock<F>;
  detail::must_fit<A, G>();
  if constexpr (detail::Takes<G, A>) {
    using Out = detail::After<G, A>;
    return Block<In, Out>(std::make_shared<detail::Then<In, A, G, Out>>(first, detail::as_block(then)));
  } else {
    return Block<In, Expr>();
  }
}
template <detail::AnyPart F, class G>
auto operator>>(const F& first, const G& then) {
  return detail::Chain<F, detail::AsBlock<G>>(first, detail::as_block(then));
}

// Turns a function into a block: of<Tree>(f).
template <class In, class F>
auto of(const F& f, ESPALIER_AT) {
  using G = detail::AsBlock<F>;
  detail::must_fit<const In&, G>();
  if constexpr (detail::Takes<G, const In&>) {
    using Out = detail::After<G, const In&>;
    return Block<In, Out>(std::make_shared<detail::Function<In, G, Out>>(detail::as_block(f), at));
  } else {
    return Block<In, Expr>();
  }
}

namespace detail {
template <class In>
struct Identity {
  using Out = std::conditional_t<std::is_scalar_v<In>, In, const In&>;  // scalars are passed by value
  Out operator()(const In& x) const { return x; }
  std::string path() const { return {}; }
};
}  // namespace detail

// Returns its input: the start of a block over an In.
template <class In>
Block<In, typename detail::Identity<In>::Out> identity(ESPALIER_AT) {
  return of<In>(detail::Identity<In>{}, at);
}

}  // namespace espalier::block
