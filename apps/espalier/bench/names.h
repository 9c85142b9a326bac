// The names of enum values on the command line.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <espalier/data/binary_tree.h>
#include <espalier/espalier.h>

namespace espalier::app::bench {

template <class T, size_t n>
using Names = std::array<std::pair<std::string_view, T>, n>;

inline constexpr Names<Policy, 4> policies{{{name(Policy::none), Policy::none},
                                            {name(Policy::depth), Policy::depth},
                                            {name(Policy::agenda), Policy::agenda},
                                            {name(Policy::automatic), Policy::automatic}}};
inline constexpr Names<Mode, 2> modes{{{"train", Mode::train}, {"infer", Mode::infer}}};
inline constexpr Names<Device::Kind, 2> devices{{{"cpu", Device::Kind::cpu}, {"cuda", Device::Kind::cuda}}};
inline constexpr Names<Precision, 3> precisions{
    {{"f32", Precision::f32}, {"tf32", Precision::tf32}, {"bf16", Precision::bf16}}};
inline constexpr Names<data::binary_tree::Form, 3> shapes{{{"random", data::binary_tree::Form::random},
                                                           {"balanced", data::binary_tree::Form::balanced},
                                                           {"sequence", data::binary_tree::Form::sequence}}};

template <class T, size_t n>
std::string name_of(const Names<T, n>& names, T value) {
  for (const auto& [name, named] : names)
    if (named == value) return std::string(name);
  return "?";
}

}  // namespace espalier::app::bench
