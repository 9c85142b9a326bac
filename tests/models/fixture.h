// Compares values and gradients of a module with tests/models/fixtures/NAME.json, computed with NumPy.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include <espalier/espalier.h>

namespace espalier::test {

inline Tensor tensor_of(const nlohmann::json& t, const char* what) {
  const auto dims = t["shape"].get<std::vector<int>>();
  return {Shape::of(dims.data(), static_cast<int>(dims.size())), t[what].get<std::vector<float>>()};
}

inline void expect_near(const Tensor& got, const Tensor& expected, float tolerance, const std::string& of) {
  ASSERT_EQ(str(got.shape()), str(expected.shape())) << of;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1.f, std::abs(expected[i]))) << of << ", element " << i;
}

// One example of a fixture: its rows by name, and its structure.
struct Example {
  Graph& g;
  const nlohmann::json& structure;
  std::map<std::string, Expr> rows;

  Example(Graph& graph, const nlohmann::json& c) : g(graph), structure(c) {
    for (const auto& [name, t] : c["inputs"].items()) {
      const Tensor x = tensor_of(t, "value");
      rows[name] = input(g, x.values(), x.shape());
    }
  }
  Expr operator[](const std::string& name) const { return rows.at(name); }
  std::vector<Expr> list(const std::string& name) const {  // name.0, name.1, …
    std::vector<Expr> found;
    for (size_t i = 0; rows.contains(name + "." + std::to_string(i)); ++i)
      found.push_back(rows.at(name + "." + std::to_string(i)));
    return found;
  }
  template <class T>
  T get(const char* what) const {
    return structure[what].get<T>();
  }
};

inline nlohmann::json read_fixture(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(ESPALIER_SOURCE_DIR "/tests/models/fixtures/" + name + ".json"));
}

// Assigns the fixture's parameters. The module must have trainable parameters of exactly these names and shapes.
inline void assign_parameters(Parameters& params, const nlohmann::json& fixture) {
  std::vector<std::string> names, expected;
  for (const Parameter& p : params.all())
    if (!p.frozen()) names.push_back(p.name());
  for (const auto& [name, t] : fixture["parameters"].items()) expected.push_back(name);
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(names, expected);
  for (const auto& [name, t] : fixture["parameters"].items()) params[name].assign(tensor_of(t, "value"));
}

// make(Scope) returns the module, outputs(module, Example&) the outputs in the fixture. All examples are one batch.
template <class Make, class Outputs>
void expect_fixture_on(Device device, float tolerance, const std::string& name, Make make, Outputs outputs) {
  SCOPED_TRACE(name + " on " + str(device));
  const nlohmann::json fixture = read_fixture(name);
  const std::vector<nlohmann::json> cases = fixture["cases"];
  Parameters params;
  const auto module = make(Scope(params));
  ASSERT_NO_FATAL_FAILURE(assign_parameters(params, fixture));
  Engine engine({.device = device});
  struct Recorded {
    std::map<std::string, Expr> inputs;
    std::vector<Expr> outputs;
    Expr loss;
  };
  auto batch = engine.record(cases, [&](Graph& g, const nlohmann::json& c) {
    Example e(g, c);
    Recorded r{e.rows, outputs(module, e), {}};
    std::vector<Expr> losses;
    for (size_t i = 0; i < r.outputs.size() && i < c["outputs"].size(); ++i) {
      const Tensor weight = tensor_of(c["outputs"][i], "weight");
      losses.push_back(sum_elements(r.outputs[i] * input(g, weight.values(), weight.shape())));
    }
    r.loss = sum(losses);
    return r;
  });
  std::vector<Expr> losses;
  for (const Recorded& r : batch.results) {
    losses.push_back(r.loss);
    for (const auto& [input, row] : r.inputs) engine.watch(row);
  }
  const Gradients gradients = engine.backward(losses);
  for (size_t k = 0; k < cases.size(); ++k) {
    const std::string at = "example " + std::to_string(k) + ": ";
    const Recorded& r = batch.results[k];
    ASSERT_EQ(r.outputs.size(), cases[k]["outputs"].size()) << at;
    for (size_t i = 0; i < r.outputs.size(); ++i)
      expect_near(engine.tensor(r.outputs[i]), tensor_of(cases[k]["outputs"][i], "value"), tolerance,
                  at + "output " + std::to_string(i));
    for (const auto& [input, t] : cases[k]["inputs"].items())
      expect_near(gradients.of(r.inputs.at(input)), tensor_of(t, "gradient"), tolerance, at + "gradient of " + input);
  }
  for (const auto& [parameter, t] : fixture["parameters"].items())
    expect_near(gradients.of(params[parameter]), tensor_of(t, "gradient"), tolerance, "gradient of " + parameter);
}

template <class Make, class Outputs>
void expect_fixture(const std::string& name, Make make, Outputs outputs) {
  expect_fixture_on(Device::cpu(), 1e-5f, name, make, outputs);
  expect_fixture_on(Device::ref(), 1e-6f, name, make, outputs);
}

}  // namespace espalier::test
