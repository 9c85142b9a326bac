// Cells: small programs written as lambdas, traced once at their definition and called as functions of rows.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/expr/flatten.h>
#include <espalier/expr/functions.h>
#include <espalier/param/parameters.h>

namespace espalier {

struct Program;

namespace detail {

// A type-erased variadic argument (Many).
struct GroupArgument {
  TapeEntry* entry = nullptr;  // tape of a recorded or traced group; null: the items are read from memory
  uint32_t id = 0, stamp = 0;
  const void* items = nullptr;
  size_t count = 0;
  int fields = 0;
  void (*read)(const void* items, size_t i, Expr* fields) = nullptr;
};

// The flattened arguments of one call; views into the caller's stack.
struct CallArguments {
  static constexpr size_t most = 32;                       // maximum number of rows, of indices and of numbers
  static constexpr size_t max_groups = 4, max_fields = 8;  // groups per call, fields per item
  std::span<const Expr> rows{};
  std::span<const Index> indices{};
  std::span<const Number> numbers{};
  std::span<const GroupArgument> groups{};
};

ESPALIER_API void call(const std::shared_ptr<const Program>& program, Graph* graph, const CallArguments& arguments,
                       Where at, Expr* outputs);
// GraphError if the cell is empty.
ESPALIER_API std::string cell_name(const std::shared_ptr<const Program>& program);
ESPALIER_API std::string explain_cell(const std::shared_ptr<const Program>& program);
ESPALIER_API Expr field_rows(TapeEntry* entry, uint32_t first, uint32_t stamp, int field);
ESPALIER_API GroupArgument record_group(Graph& graph, const GroupArgument& items, Where at);

// Traces one cell. finish() returns the program; the destructor discards the trace if the lambda throws.
class ESPALIER_API Tracing {
 public:
  Tracing(const Scope& scope, std::string_view name, std::initializer_list<Shape> shapes, size_t arguments, Where at);
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  ~Tracing();

  void argument();  // starts the next argument
  Expr row();
  Index index();
  Number number();
  uint32_t group(int fields);  // starts a variadic group; returns the node of its first field
  TapeEntry* entry() const;
  uint32_t stamp() const;
  void output(Expr value);
  std::shared_ptr<const Program> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace detail

// A variadic argument: any number of T in one call (children, neighbours, keys). A non-owning view: the call
// reads the items before it returns.
template <class T>
class Many {
 public:
  Many() = default;
  Many(std::span<const T> items) : items_(items) {}
  Many(const std::vector<T>& items) : items_(items) {}

  // Inside a cell: the rows of one field, kids[&State::h].
  template <class M>
  Expr operator[](M T::* member) const {
    static_assert(std::same_as<M, Expr>, "a field of a Many must be an Expr");
    T probe{};
    int field = 0, found = 0;
    detail::each_part(probe, [&](auto& part) {
      if (static_cast<const void*>(&part) == static_cast<const void*>(&(probe.*member))) found = field;
      ++field;
    });
    return detail::field_rows(recorded_.entry, recorded_.id, recorded_.stamp, found);
  }
  // Inside a cell: the rows of a Many<Expr>.
  operator Expr() const
    requires std::same_as<T, Expr>
  {
    return detail::field_rows(recorded_.entry, recorded_.id, recorded_.stamp, 0);
  }

  // For the library.
  explicit Many(detail::GroupArgument recorded) : recorded_(recorded) {}
  detail::GroupArgument erased() const {
    static_assert(detail::part_counts<T>().rows <= detail::CallArguments::max_fields,
                  "an item of a Many may have at most eight Exprs");
    if (recorded_.entry != nullptr) return recorded_;
    return {nullptr, 0, 0, items_.data(), items_.size(), static_cast<int>(detail::count_parts<T>()), &read};
  }

 private:
  static void read(const void* items, size_t i, Expr* fields) {
    const T& item = static_cast<const T*>(items)[i];
    detail::each_part(item, [&](const auto& part) {
      static_assert(std::same_as<std::remove_cvref_t<decltype(part)>, Expr>, "the fields of a Many must be Exprs");
      *fields++ = part;
    });
  }
  std::span<const T> items_;
  detail::GroupArgument recorded_;
};

// Records a group once, to be passed to many calls (the keys of attention).
template <class T>
Many<T> group(Graph& graph, std::span<const T> items, ESPALIER_AT) {
  return Many<T>(detail::record_group(graph, Many<T>(items).erased(), at));
}
template <class T>
Many<T> group(Graph& graph, const std::vector<T>& items, ESPALIER_AT) {
  return group(graph, std::span<const T>(items), at);
}

template <class R, class... A>
class Cell<R(A...)> {
 public:
  Cell() = default;  // empty: using it is a GraphError
  explicit Cell(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  // Records a call in the graph of its arguments; inside another cell the cell is inlined.
  R operator()(A... arguments, Where at = Where::here()) const { return record(nullptr, at, arguments...); }
  // The same in a given graph. Needed if no argument determines it: there is no Expr, and every Many may be empty.
  R operator()(Graph& graph, A... arguments, Where at = Where::here()) const {
    return record(&graph, at, arguments...);
  }

  std::string name() const { return detail::cell_name(program_); }  // with the prefix of its Parameters
  std::string explain() const { return detail::explain_cell(program_); }
  const std::shared_ptr<const Program>& program() const { return program_; }

 private:
  R record(Graph* graph, Where at, const A&... arguments) const {
    constexpr detail::PartCounts given = (detail::part_counts<std::decay_t<A>>() + ... + detail::PartCounts{});
    std::array<Expr, given.rows> rows;
    std::array<Index, given.indices> indices;
    std::array<Number, given.numbers> numbers;
    std::array<detail::GroupArgument, given.groups> groups;
    [[maybe_unused]] size_t row = 0, index = 0, number = 0, group = 0;
    auto put = [&]<class P>(const P& part) {
      if constexpr (std::same_as<P, Expr>)
        rows[row++] = part;
      else if constexpr (std::same_as<P, Index>)
        indices[index++] = part;
      else if constexpr (std::same_as<P, Number>)
        numbers[number++] = part;
      else
        groups[group++] = part.erased();
    };
    (detail::each_part(arguments, put), ...);
    std::array<Expr, detail::part_counts<R>().rows> outputs;
    detail::call(program_, graph, {rows, indices, numbers, groups}, at, outputs.data());
    R result{};
    size_t k = 0;
    detail::each_part(result, [&](Expr& part) { part = outputs[k++]; });
    return result;
  }
  std::shared_ptr<const Program> program_;
};

namespace detail {

template <class A>
std::decay_t<A> placeholder(Tracing& tracing) {
  std::decay_t<A> value{};
  tracing.argument();
  each_part(value, [&]<class P>(P& part) {
    if constexpr (std::same_as<P, Expr>)
      part = tracing.row();
    else if constexpr (std::same_as<P, Index>)
      part = tracing.index();
    else if constexpr (std::same_as<P, Number>)
      part = tracing.number();
    else
      part = [&]<class T>(const Many<T>&) {
        GroupArgument g;
        g.fields = static_cast<int>(count_parts<T>());
        g.id = tracing.group(g.fields);
        g.entry = tracing.entry();
        g.stamp = tracing.stamp();
        return Many<T>(g);
      }(part);
  });
  return value;
}

template <class R, class... A, class F>
Cell<R(A...)> trace(const Cell<R(A...)>*, const Scope& scope, std::string_view name,
                    std::initializer_list<Shape> shapes, const F& f, Where at) {
  constexpr PartCounts given = (part_counts<std::decay_t<A>>() + ... + PartCounts{});
  static_assert(given.rows <= CallArguments::most && given.indices <= CallArguments::most &&
                    given.numbers <= CallArguments::most && given.groups <= CallArguments::max_groups,
                "a cell takes at most 32 Exprs, 32 Indexes, 32 Numbers and 4 Manys; a Many takes any number of rows");
  static_assert(part_counts<R>().rows + part_counts<R>().indices > 0 && part_counts<R>().rows <= CallArguments::most,
                "a cell must return 1 to 32 Exprs");
  Tracing tracing(scope, name, shapes, sizeof...(A), at);
  // Braces guarantee evaluation from left to right.
  std::tuple<std::decay_t<A>...> arguments{placeholder<A>(tracing)...};
  R result = std::apply(f, arguments);
  each_part(result, [&](const auto& part) {
    constexpr bool is_expr = std::same_as<std::remove_cvref_t<decltype(part)>, Expr>;
    static_assert(is_expr, "a cell must return Exprs, or a struct / array / tuple of them");
    if constexpr (is_expr) tracing.output(part);
  });
  return Cell<R(A...)>(tracing.finish());
}

}  // namespace detail

template <class F>
typename detail::CellOf<F>::type Scope::cell(std::string_view name, std::initializer_list<Shape> shapes, F f,
                                             Where at) const {
  using C = typename detail::CellOf<F>::type;
  return detail::trace(static_cast<const C*>(nullptr), *this, name, shapes, f, at);
}

}  // namespace espalier
