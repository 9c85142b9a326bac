// The arguments of one line of a replayed program, converted to the types that C++ functions take.
#pragma once
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <espalier/expr/functions.h>
#include <espalier/nn/modules.h>

namespace espalier::replay {

// One argument as written in the program:
//   v3 (a value)  p:name (a parameter)  i2  f0.5  b1  n (None)  a (an array: shape, numbers)
//   s (a shape)  l (a list of arguments)  S (a State: two values)
struct Token {
  char kind = 'n';
  int64_t integer = 0;  // the number of a value, an integer, or a bool
  float number = 0;
  std::string name;
  std::vector<int> sizes;
  std::vector<float> numbers;
  std::vector<Token> items;
};

struct Model {
  explicit Model(uint64_t seed);

  Parameters parameters;
  Lookup words, wide;
  std::vector<Parameter> plain;
  nn::Linear linear;
  nn::LSTM lstm;
  nn::GRU gru;
  nn::TreeLSTM tree;
  nn::ChildSumTreeLSTM child_sum;

  const Parameter& parameter(const std::string& name) const;
};

// Where lines are recorded: an example, or a cell that is being traced. An index or a number of a cell is a value too.
struct Place {
  const Model& model;
  Graph* graph = nullptr;  // null in a cell
  std::vector<Expr> values{};
};

using Rows = std::vector<Expr>;
using Indices = std::vector<Index>;
using States = std::vector<nn::State>;
using Maybe = std::optional<Operand>;

// Takes no argument: the place itself.
struct Here {
  Place* place = nullptr;
  Graph& graph() const { return *place->graph; }
  bool in_cell() const { return place->graph == nullptr; }
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Reads the tokens from left to right. Arguments at the end may be missing if they are optional.
class Arguments {
 public:
  Arguments(Place& place, const std::vector<Token>& tokens) : place_(place), tokens_(tokens) {}

  template <class T>
  T take() {
    if constexpr (std::is_same_v<T, Here>) {
      return Here{&place_};
    } else if constexpr (is_optional<T>) {
      if (next_ < tokens_.size() && tokens_[next_].kind == 'n') return ++next_, T();
      return next_ < tokens_.size() ? T(take<typename T::value_type>()) : T();
    } else if constexpr (std::is_same_v<T, Operand>) {
      Maybe to;
      convert(token(), to);
      return *to;
    } else {
      if (next_ == tokens_.size()) throw DataError("replay: an argument is missing");
      T value;
      convert(tokens_[next_++], value);
      return value;
    }
  }
  const Token& token() { return tokens_.at(next_++); }
  bool finished() const { return next_ == tokens_.size(); }

  void convert(const Token& token, Expr& to) const;
  void convert(const Token& token, Maybe& to) const;
  void convert(const Token& token, Index& to) const;
  void convert(const Token& token, Number& to) const;
  void convert(const Token& token, int& to) const { to = static_cast<int>(token.integer); }
  void convert(const Token& token, bool& to) const { to = token.integer != 0; }
  void convert(const Token& token, float& to) const { to = token.number; }
  void convert(const Token& token, Shape& to) const { to = Shape::of(token.sizes.data(), int(token.sizes.size())); }
  void convert(const Token& token, nn::State& to) const;
  template <class T>
  void convert(const Token& token, std::vector<T>& to) const {
    for (const Token& t : token.items) convert(t, to.emplace_back());
  }

 private:
  Place& place_;
  const std::vector<Token>& tokens_;
  size_t next_ = 0;
};

}  // namespace espalier::replay
