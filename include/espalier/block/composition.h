// Composition: connects blocks into an acyclic graph, where one result can be used several times.
//   Composition<Sentence> c;
//   auto words = c(field<&Sentence::words>() >> map(embed), c.input());
//   auto query = c(summary, words);
//   Block<Sentence, Expr> whole = c.output(c(attend, query, words));
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

// Memory for the results of one run.
class Frame {
 public:
  explicit Frame(size_t bytes) : memory_(bytes <= sizeof(near_) ? near_ : new std::byte[bytes]) {}
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() {
    if (memory_ != near_) delete[] memory_;
  }
  void* at(size_t offset) { return memory_ + offset; }

 private:
  alignas(std::max_align_t) std::byte near_[1024];
  std::byte* memory_;
};

template <class In>
struct WireStep {
  size_t offset = 0;
  virtual ~WireStep() = default;
  virtual void run(Graph& g, const In& x, Frame& frame) const = 0;
  virtual void destroy(Frame& frame) const = 0;
};

// References are stored as pointers.
template <class T>
using Stored = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>;
template <class T>
const std::remove_reference_t<T>& stored(Frame& frame, size_t offset) {
  if constexpr (std::is_reference_v<T>)
    return **static_cast<Stored<T>*>(frame.at(offset));
  else
    return *static_cast<T*>(frame.at(offset));
}

[[noreturn]] ESPALIER_API void foreign_wire();

}  // namespace detail

// A result inside a composition. It has a value only while the composition runs.
template <class T>
struct Wire {
  std::shared_ptr<const void> composition;  // the composition it belongs to
  size_t offset = 0;                        // in the Frame; ~0: the input
  Shapes shapes{};
  detail::Path path{};
};

template <class In>
class Composition {
  struct Steps {
    std::vector<std::unique_ptr<const detail::WireStep<In>>> steps;
    size_t bytes = 0;
  };
  template <class T>
  static const std::remove_cvref_t<T>& value(size_t offset, const In& x, detail::Frame& frame) {
    if constexpr (std::is_same_v<T, const In&>) {
      if (offset == from_outside) return x;
    }
    return detail::stored<T>(frame, offset);
  }

  // The argument of a block: a reference for one wire, a tuple of references for several.
  template <class... W>
  struct Inputs {
    using type = std::tuple<const std::remove_cvref_t<W>&...>;
  };
  template <class W>
  struct Inputs<W> {
    using type = const std::remove_cvref_t<W>&;
  };

  template <class F, class Out, class... W>
  struct Step final : detail::WireStep<In> {
    F f;
    std::array<size_t, sizeof...(W)> from;
    detail::Path inside;  // path of the input, if there is only one
    Where at;
    Step(const F& f_, const Wire<W>&... w, Where at_) : f(f_), from{w.offset...}, at(at_) {
      if constexpr (sizeof...(W) == 1) inside = (w, ...).path;
    }
    void run(Graph& g, const In& x, detail::Frame& frame) const override {
      using A = typename Inputs<W...>::type;
      auto given = [&]() -> A {
        return [&]<size_t... I>(std::index_sequence<I...>) -> A {
          return A(value<W>(from[I], x, frame)...);
        }(std::index_sequence_for<W...>{});
      };
      try {
        if constexpr (std::is_reference_v<Out>)
          new (frame.at(this->offset)) detail::Stored<Out>(&detail::apply<F, A>(f, g, at, given()));
        else
          new (frame.at(this->offset)) Out(detail::apply<F, A>(f, g, at, given()));
      } catch (Error& e) {
        enter(e, inside);
        throw;
      }
    }
    void destroy(detail::Frame& frame) const override {
      std::destroy_at(static_cast<detail::Stored<Out>*>(frame.at(this->offset)));
    }
  };

  template <class Out>
  struct Whole final : detail::Node<In, detail::Settled<Out>> {
    std::shared_ptr<const Steps> steps;
    size_t result;
    Whole(std::shared_ptr<const Steps> s, const Wire<Out>& r, Where at_) : steps(std::move(s)), result(r.offset) {
      this->at = at_;
      this->shapes = r.shapes;
    }
    detail::Settled<Out> run(Graph& g, const In& x) const override {
      detail::Frame frame(steps->bytes);
      struct Done {
        const Steps& steps;
        detail::Frame& frame;
        size_t count = 0;
        ~Done() {
          while (count > 0) steps.steps[--count]->destroy(frame);
        }
      } done{*steps, frame};
      for (; done.count < steps->steps.size(); ++done.count) steps->steps[done.count]->run(g, x, frame);
      return detail::Settled<Out>(value<Out>(result, x, frame));
    }
  };

 public:
  Composition() = default;
  Composition(const Composition&) = delete;
  Composition& operator=(const Composition&) = delete;

  Wire<const In&> input() const { return {steps_, from_outside, {}, {{}, false}}; }

  // Adds a block, part, cell, module or function. The wires are its arguments, in order. Returns its result.
  template <class F, class... W>
  auto operator()(const F& f, const Wire<W>&... from) {
    using G = detail::AsBlock<F>;
    using A = typename Inputs<W...>::type;
    detail::must_fit<A, G>();
    if constexpr (detail::Takes<G, A>) {
      using Out = detail::After<G, A>;
      if (((from.composition != steps_) || ...)) detail::foreign_wire();
      static_assert(alignof(detail::Stored<Out>) <= alignof(std::max_align_t),
                    "Composition: the alignment of a result must not exceed that of std::max_align_t");
      const G block = detail::as_block(f);
      Shapes given(std::in_place);
      (join<W>(given, from.shapes), ...);
      auto step = std::make_unique<Step<G, Out, W...>>(block, from..., where(block));
      step->offset = place(sizeof(detail::Stored<Out>), alignof(detail::Stored<Out>));
      Wire<Out> result{steps_, step->offset, detail::known_after<G, A>(block, given, where(block)), {}};
      if constexpr (sizeof...(W) == 1) result.path = (from, ...).path + detail::path_of(block);
      steps_->steps.push_back(std::move(step));
      return result;
    } else {
      return Wire<Expr>{};
    }
  }

  // Returns the composition as a block and empties it; existing wires become invalid. For several results, return a
  // tuple of them.
  template <class T>
  Block<In, detail::Settled<T>> output(const Wire<T>& result, ESPALIER_AT) {
    if (result.composition != steps_) detail::foreign_wire();
    auto steps = std::exchange(steps_, std::make_shared<Steps>());
    return Block<In, detail::Settled<T>>(std::make_shared<Whole<T>>(std::move(steps), result, at));
  }

 private:
  static constexpr size_t from_outside = ~size_t{0};
  template <class W>
  static void join(Shapes& to, const Shapes& more) {
    if constexpr (detail::row_count<W> > 0) detail::append_shapes(to, more);
  }
  template <class F>
  static Where where(const F& f) {
    if constexpr (detail::AnyBlock<F>)
      return f.node().at;
    else
      return {};
  }
  size_t place(size_t size, size_t align) {
    const size_t offset = (steps_->bytes + align - 1) / align * align;
    steps_->bytes = offset + size;
    return offset;
  }
  std::shared_ptr<Steps> steps_ = std::make_shared<Steps>();
};

}  // namespace espalier::block
