// Infers the shapes of results before any data is recorded. A cell declares its shapes. A function whose arguments and
// results are rows runs once on placeholders. Shapes that depend on host values are unknown until recorded.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <espalier/block/apply.h>
#include <espalier/block/rows.h>
#include <espalier/expr/cell.h>

namespace espalier::block {

// The shapes of a result's rows from left to right; for a sequence, the shapes of one element. nullopt: unknown.
using Shapes = std::optional<std::vector<Shape>>;

// "[8], [8]", or "unknown until recorded"
ESPALIER_API std::string str(const Shapes& shapes);

namespace detail {

// A temporary graph without an engine.
ESPALIER_API Graph scratch_graph();
ESPALIER_API std::vector<Shape> output_shapes(const Program& program);
// ShapeError if the shapes given to a cell differ from those it declares. Cells with groups are not checked.
ESPALIER_API void check_rows(const Program& program, std::span<const Shape> given, Where at);
// Throws the ShapeError for a shape that differs from the declared one.
[[noreturn]] ESPALIER_API void refuse_shape(std::string_view who, const Shape& given, const Shape& declared, Where at);

// Appends the shapes of a second result; unknown if either is unknown.
inline void append_shapes(Shapes& to, const Shapes& more) {
  if (!to || !more)
    to.reset();
  else
    to->insert(to->end(), more->begin(), more->end());
}

// ShapeError if a known shape differs from the needed one.
inline void check_same(std::string_view who, const Shapes& known, const std::vector<Shape>& needed, Where at) {
  for (size_t i = 0; known && i < known->size(); ++i)
    if ((*known)[i] != needed[i]) refuse_shape(who, (*known)[i], needed[i], at);
}

template <class F>
struct CellIn {  // a Cell, or the cell of a module that declares one_cell; null: f may do more than call one cell
  static const std::shared_ptr<const Program>* find(const F&) { return nullptr; }
};
template <class Signature>
struct CellIn<Cell<Signature>> {
  static const std::shared_ptr<const Program>* find(const Cell<Signature>& f) { return &f.program(); }
};
template <class F>
  requires(F::one_cell)
struct CellIn<F> {
  static const std::shared_ptr<const Program>* find(const F& f) { return &f.cell.program(); }
};

template <class Out>
std::vector<Shape> shapes_of(const Out& out) {
  std::vector<Shape> shapes;
  Rows<std::remove_cvref_t<Out>>::each(out, [&](Expr x) { shapes.push_back(x.shape()); });
  return shapes;
}

// The shapes of f(x), given the shapes of x. Propagates exceptions of f, except GraphError.
template <class F, class A>
Shapes shapes_after(const F& f, const Shapes& given, Where at) {
  using Out = After<F, A>;
  if constexpr (row_count<Out> == 0) {
    return std::vector<Shape>{};
  } else if constexpr (requires { f.template shapes_after<A>(given, at); }) {
    return f.template shapes_after<A>(given, at);
  } else if constexpr (only_rows<A> && only_rows<Out>) {
    if (!given) {
      if (const auto* program = CellIn<F>::find(f); program != nullptr && *program != nullptr)
        return output_shapes(**program);
      return std::nullopt;
    }
    Graph scratch = scratch_graph();
    auto next = [&, i = size_t{0}]() mutable { return zeros(scratch, (*given)[i++], at); };
    const Settled<A> placeholders = Rows<Settled<A>>::make(next);
    try {
      if constexpr (std::is_reference_v<A>)
        return shapes_of(apply<F, A>(f, scratch, at, placeholders));
      else
        return shapes_of(apply<F, A>(f, scratch, at, A(placeholders)));
    } catch (const GraphError&) {  // f uses values of another graph, or reads values: it can only be tried with data
      return std::nullopt;
    }
  } else {
    const auto* program = CellIn<F>::find(f);
    if (program == nullptr || *program == nullptr) return std::nullopt;
    if (given) check_rows(**program, *given, at);
    return output_shapes(**program);
  }
}

// Replaces a missing result: by zeros (one shape per row, or one for all rows), or by the result of a function.
struct ZerosOf {
  std::vector<Shape> shapes;
};
template <class None, class Out>
concept Fills = (std::same_as<None, ZerosOf> && only_rows<Out>) || std::is_invocable_r_v<Out, const None&, Graph&>;
template <class Out, class None>
Out filled(const None& none, Graph& g, Where at) {
  if constexpr (std::same_as<None, ZerosOf>)
    return Rows<Out>::make(
        [&, i = size_t{0}]() mutable { return zeros(g, none.shapes[i + 1 < none.shapes.size() ? i++ : i], at); });
  else
    return none(g);
}
// ShapeError if the shapes of the replacement differ from the known shapes.
template <class Out, class None>
void check_filled(const None& none, const Shapes& known, std::string_view who, Where at) {
  if constexpr (only_rows<Out>) {
    if (!known) return;
    Graph scratch = scratch_graph();
    check_same(who, shapes_of(filled<Out>(none, scratch, at)), *known, at);
  }
}

template <class Out>
void check_recorded(const Out& out, const Shape& declared, std::string_view who, Where at) {
  Rows<std::remove_cvref_t<Out>>::each(out, [&](Expr x) {
    if (const Shape shape = x.shape(); shape != declared) refuse_shape(who, shape, declared, at);
  });
}

}  // namespace detail
}  // namespace espalier::block
