// Blocks from JSON values to rows, and to indices into a list of categories.
#include <algorithm>
#include <cmath>

#include "json/value.h"

namespace espalier::json {
namespace {

// A function (graph, value) -> row whose shape is fixed.
template <class F>
struct Row {
  Shape shape;
  F f;
  Expr operator()(Graph& g, const Json& x, Where at) const { return f(g, x, at); }
  template <class>
  block::Shapes shapes_after(const block::Shapes&, Where) const {
    return std::vector<Shape>{shape};
  }
};
template <class F>
JsonBlock row_of(Shape shape, F f, Where at) {
  return block::of<Json>(Row<F>{shape, std::move(f)}, at);
}

// Maps a value to the index of its category.
class Positions {
 public:
  Positions(std::string_view who, Categories values, Unknown unknown, Where at)
      : values_(std::move(values)), unknown_(unknown) {
    for (const std::string& v : values_.names) printed_.push_back(in_quotes(v));
    for (const int v : values_.numbers) printed_.push_back(std::to_string(v));
    if (printed_.empty()) block::detail::refuse_categories(who, "none is given", at);
    once(who, values_.names, at);
    once(who, values_.numbers, at);
  }
  int count() const { return known() + (unknown_ == Unknown::other); }
  int operator()(const Json& x, Where at) const {
    const int found =
        values_.names.empty() ? place(values_.numbers, number_in(x, at)) : place(values_.names, text_in(x, at));
    if (found == known() && unknown_ == Unknown::error)
      throw DataError(printed(x) + " is given; one of " + listed(printed_) + " is needed" + str(at));
    return found;
  }

 private:
  int known() const { return static_cast<int>(printed_.size()); }
  template <class T, class X>
  static int place(const std::vector<T>& values, const X& x) {
    return static_cast<int>(std::ranges::find(values, x) - values.begin());
  }
  template <class T>
  void once(std::string_view who, const std::vector<T>& values, Where at) const {
    for (size_t i = 0; i < values.size(); ++i)
      if (place(values, values[i]) != static_cast<int>(i))
        block::detail::refuse_categories(who, printed_[i] + " is given twice", at);
  }
  Categories values_;
  std::vector<std::string> printed_;
  Unknown unknown_;
};

Expr record_array(Graph& g, const Json& x, int n, Where at) {
  std::vector<float> values;
  for (const Json& element : array_in(x, at)) try {
      values.push_back(float_of(number_in(element, at), element, at));
    } catch (Error& e) {
      e.within(step_to(values.size()));
      throw;
    }
  return block::detail::record_numbers(g, values, {n}, at);
}

}  // namespace

JsonBlock number(Where at) {
  return row_of({}, [](Graph& g, const Json& x, Where w) { return input(g, float_of(number_in(x, w), x, w), w); }, at);
}
JsonBlock boolean(Where at) {
  return row_of({}, [](Graph& g, const Json& x, Where w) { return input(g, boolean_in(x, w) ? 1.f : 0.f, w); }, at);
}
JsonBlock present(Where at) {
  return row_of({}, [](Graph& g, const Json& x, Where w) { return input(g, x.is_null() ? 0.f : 1.f, w); }, at);
}
JsonBlock numbers(int n, Where at) {
  return row_of({n}, [n](Graph& g, const Json& x, Where w) { return record_array(g, x, n, w); }, at);
}

block::Block<Json, int> category(Categories values, Unknown unknown, Where at) {
  return block::of<Json>(Positions("category", std::move(values), unknown, at), at);
}
JsonBlock one_hot(Categories values, Unknown unknown, Where at) {
  const Positions position("one_hot", std::move(values), unknown, at);
  const int n = position.count();
  return row_of({n}, [=](Graph& g, const Json& x, Where w) { return espalier::one_hot(g, n, position(x, w), w); }, at);
}

}  // namespace espalier::json
