#include "python/src/function/modules.h"

#include <espalier/nn/modules.h>

#include "python/src/function/function.h"
#include "python/src/value/parameter.h"

namespace espalier::python {
namespace {

using Rows = std::vector<Expr>;
using Ints = std::vector<int>;

// A module with the parameters it owns. Their names have no prefix until Python sets one.
template <class M>
struct Made {
  Parameters parameters{0, Drawn::late};
  M module;
  template <class Make>
  explicit Made(const Make& make) : module(make(Scope(parameters))) {}
};
// Not make_shared, nor a template: clang 19 leaves members of the control block undefined if a template of this file is
// the only one that needs it.
std::shared_ptr<void> owner_of(void* made, void (*destroy)(void*)) { return {made, destroy}; }
template <class M, class Make>
std::shared_ptr<Made<M>> make_module(const Make& make) {
  return std::static_pointer_cast<Made<M>>(
      owner_of(new Made<M>(make), [](void* made) { delete static_cast<Made<M>*>(made); }));
}
template <class M>
using Shared = std::shared_ptr<const Made<M>>;

// Collects the methods of one module.
class Methods {
 public:
  Methods(std::string module, PyObject* into) : module_(std::move(module)), into_(into) {}
  template <class F>
  void add(const char* name, std::string_view arguments, F f) {
    const std::string full = *name == '\0' ? module_ : module_ + "." + name;
    const Ref function = wrap(full, arguments, "", std::move(f));
    if (PyDict_SetItemString(into_, name, function.get()) < 0) throw_python();
  }

 private:
  std::string module_;
  PyObject* into_;
};

// The arguments of a constructor without the scope.
template <class F>
struct ConstructorOf : ConstructorOf<decltype(&F::operator())> {};
template <class C, class M, class... A>
struct ConstructorOf<M (C::*)(Scope, A...) const> {
  using module = M;
  using call = PyObject*(const std::remove_cvref_t<A>&...);
};

// How a module is described: add(name, arguments, make, methods). make(Scope, arguments…) constructs the module,
// methods(Shared<M>, Methods&) adds its methods.
class Table {
 public:
  explicit Table(PyObject* constructors) : constructors_(constructors) {}

  template <class Make, class F>
  void add(const char* name, std::string_view arguments, Make make, F methods) {
    using M = typename ConstructorOf<Make>::module;
    const auto construct = [name, make, methods](const auto&... given) -> PyObject* {
      const auto made = make_module<M>([&](Scope scope) { return make(std::move(scope), given...); });
      return describe<M>(name, made, methods);
    };
    const Ref function = new_function(name, arguments, "",
                                      callee_of(std::type_identity<typename ConstructorOf<Make>::call>{}, construct));
    if (PyDict_SetItemString(constructors_, name, function.get()) < 0) throw_python();
  }

 private:
  template <class M, class F>
  static PyObject* describe(const char* name, const std::shared_ptr<Made<M>>& made, const F& methods) {
    const std::vector<Parameter> all = made->parameters.all();
    const Ref list = Ref::steal(checked(PyList_New(0)));
    for (const Parameter& p : all) {
      const Ref parameter = Ref::steal(checked(new_parameter(p)));
      const Ref pair = Ref::steal(checked(Py_BuildValue("(sO)", p.name().c_str(), parameter.get())));
      if (PyList_Append(list.get(), pair.get()) < 0) throw_python();
    }
    const Ref prefix = wrap("prefix", "text", "", [made](const std::string& text) -> PyObject* {
      made->parameters.set_prefix(text);
      Py_RETURN_NONE;
    });
    const Ref functions = Ref::steal(checked(PyDict_New()));
    Methods to(name, functions.get());
    methods(Shared<M>(made), to);
    return checked(Py_BuildValue("(OOO)", prefix.get(), list.get(), functions.get()));
  }
  PyObject* constructors_;
};

nn::Activation to_activation(const std::string& name) {
#define ESPALIER_PYTHON(function, Op) \
  if (name == #function) return [](Expr x, Where at) { return espalier::function(x, at); };
  ESPALIER_UNARY_OPS(ESPALIER_PYTHON)
#undef ESPALIER_PYTHON
#define ESPALIER_PYTHON(function, Op, type, attribute, otherwise) \
  if (name == #function) return [](Expr x, Where at) { return espalier::function(x, otherwise, at); };
  ESPALIER_UNARY_OPS_1(ESPALIER_PYTHON)
#undef ESPALIER_PYTHON
  throw OptionError("activation", name, "the name of an element-wise function, such as relu, tanh, gelu or sigmoid");
}

// ---- states

using MaybeState = std::optional<nn::State>;
using MaybeExpr = std::optional<Expr>;

nn::State or_first(const MaybeState& s) { return s.value_or(nn::State{}); }
Expr or_first(const MaybeExpr& h) { return h.value_or(Expr()); }

template <class M>
void state_methods(const Shared<M>& m, Methods& to) {
  to.add("", "x, state=None",
         [m](Expr x, const MaybeState& before) { return m->module(x, or_first(before), Where{}); });
  to.add("run", "xs", [m](const Rows& xs) { return m->module.run(xs, Where{}); });
}
template <class M>
void hidden_methods(const Shared<M>& m, Methods& to) {
  to.add("", "x, state=None", [m](Expr x, const MaybeExpr& before) { return m->module(x, or_first(before), Where{}); });
  to.add("run", "xs", [m](const Rows& xs) { return m->module.run(xs, Where{}); });
}
template <class M>
void sequence_methods(const Shared<M>& m, Methods& to) {
  to.add("", "xs", [m](const Rows& xs) { return m->module(xs, Where{}); });
}
template <class M>
void row_methods(const Shared<M>& m, Methods& to) {
  to.add("", "x", [m](Expr x) { return m->module(x, Where{}); });
}

// The states of a deep module: a list, one per layer.
template <class M, class S>
void deep_methods(const Shared<M>& m, Methods& to) {
  to.add("", "x, states=None", [m](Expr x, const std::optional<std::vector<S>>& before) {
    return m->module(x, before.value_or(std::vector<S>{}), Where{});
  });
  to.add("run", "xs", [m](const Rows& xs) { return m->module.run(xs, Where{}); });
}

// ---- the table

void add_feed_forward(Table& t) {
  t.add(
      "Linear", "in_features, out_features, bias=True",
      [](Scope p, int in, int out, bool bias) { return nn::Linear(p, in, out, bias); }, row_methods<nn::Linear>);
  t.add(
      "Embedding", "num_embeddings, embedding_dim", [](Scope p, int n, int dim) { return nn::Embedding(p, n, dim); },
      [](const Shared<nn::Embedding>& m, Methods& to) {
        to.add("", "index", [m](const Index& i) {
          if (i.traced()) return lookup(m->module.weight, i, Where{});
          return m->module(current_graph("Embedding"), i, Where{});
        });
      });
  t.add(
      "MLP", "sizes, activation='relu', dropout=0.0",
      [](Scope p, const Ints& sizes, const std::string& f, float dropout) {
        return nn::MLP(p, sizes, to_activation(f), dropout);
      },
      row_methods<nn::MLP>);
  t.add(
      "FC", "in_features, out_features, activation='relu', dropout=0.0, layer_norm=False",
      [](Scope p, int in, int out, const std::optional<std::string>& f, float dropout, bool norm) {
        return nn::FC(p, in, out, {f ? to_activation(*f) : nullptr, dropout, norm});
      },
      row_methods<nn::FC>);
  t.add(
      "LayerNorm", "dim, eps=1e-5", [](Scope p, int dim, float eps) { return nn::LayerNorm(p, dim, eps); },
      row_methods<nn::LayerNorm>);
}

// The states of VariationalLSTM: h, c and the two masks.
using VariationalTuple = std::tuple<Expr, Expr, Expr, Expr>;

void add_recurrent(Table& t) {
  t.add(
      "LSTM", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::LSTM(p, in, hidden); },
      state_methods<nn::LSTM>);
  t.add(
      "CoupledLSTM", "input_size, hidden_size",
      [](Scope p, int in, int hidden) { return nn::CoupledLSTM(p, in, hidden); }, state_methods<nn::CoupledLSTM>);
  t.add(
      "LayerNormLSTM", "input_size, hidden_size",
      [](Scope p, int in, int hidden) { return nn::LayerNormLSTM(p, in, hidden); }, state_methods<nn::LayerNormLSTM>);
  t.add(
      "VariationalLSTM", "input_size, hidden_size, p=0.5",
      [](Scope p, int in, int hidden, float drop) { return nn::VariationalLSTM(p, in, hidden, drop); },
      [](const Shared<nn::VariationalLSTM>& m, Methods& to) {
        to.add("", "x, state=None", [m](Expr x, const std::optional<Rows>& before) -> PyObject* {
          nn::VariationalState s{};
          if (before) {
            if (before->size() != 4) throw ShapeError("VariationalLSTM: state must be one that it returned");
            s = {(*before)[0], (*before)[1], (*before)[2], (*before)[3]};
          }
          const nn::VariationalState after = m->module(x, s, Where{});
          return to_python(VariationalTuple(after.h, after.c, after.x_mask, after.h_mask));
        });
        to.add("run", "xs", [m](const Rows& xs) { return m->module.run(xs, Where{}); });
      });
  t.add(
      "GRU", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::GRU(p, in, hidden); },
      hidden_methods<nn::GRU>);
  t.add(
      "RNN", "input_size, hidden_size, activation='tanh'",
      [](Scope p, int in, int hidden, const std::string& f) { return nn::RNN(p, in, hidden, to_activation(f)); },
      hidden_methods<nn::RNN>);
  t.add(
      "DeepLSTM", "input_size, hidden_size, num_layers, dropout=0.0",
      [](Scope p, int in, int hidden, int depth, float drop) { return nn::DeepLSTM(p, in, hidden, depth, drop); },
      deep_methods<nn::DeepLSTM, nn::State>);
  t.add(
      "DeepGRU", "input_size, hidden_size, num_layers, dropout=0.0",
      [](Scope p, int in, int hidden, int depth, float drop) { return nn::DeepGRU(p, in, hidden, depth, drop); },
      deep_methods<nn::DeepGRU, Expr>);
  t.add(
      "DeepRNN", "input_size, hidden_size, num_layers, dropout=0.0",
      [](Scope p, int in, int hidden, int depth, float drop) { return nn::DeepRNN(p, in, hidden, depth, drop); },
      deep_methods<nn::DeepRNN, Expr>);
  t.add(
      "BiLSTM", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::BiLSTM(p, in, hidden); },
      sequence_methods<nn::BiLSTM>);
  t.add(
      "BiGRU", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::BiGRU(p, in, hidden); },
      sequence_methods<nn::BiGRU>);
  t.add(
      "BiRNN", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::BiRNN(p, in, hidden); },
      sequence_methods<nn::BiRNN>);
  t.add(
      "DeepBiLSTM", "input_size, hidden_size, num_layers, dropout=0.0",
      [](Scope p, int in, int hidden, int depth, float drop) { return nn::DeepBiLSTM(p, in, hidden, depth, drop); },
      sequence_methods<nn::DeepBiLSTM>);
  t.add(
      "DeepBiGRU", "input_size, hidden_size, num_layers, dropout=0.0",
      [](Scope p, int in, int hidden, int depth, float drop) { return nn::DeepBiGRU(p, in, hidden, depth, drop); },
      sequence_methods<nn::DeepBiGRU>);
  t.add(
      "StackLSTM", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::StackLSTM(p, in, hidden); },
      [](const Shared<nn::StackLSTM>& m, Methods& to) {
        // The stack itself is a list of states in Python.
        to.add("step", "x, state=None",
               [m](Expr x, const MaybeState& before) { return m->module.lstm(x, or_first(before), Where{}); });
        to.add("bottom", "", [m]() { return row(current_graph("StackLSTM"), m->module.empty, Where{}); });
      });
}

template <int N>
void add_nary(Table& t, const char* name) {
  t.add(
      name, "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::NaryTreeLSTM<N>(p, in, hidden); },
      [](const Shared<nn::NaryTreeLSTM<N>>& m, Methods& to) {
        to.add("node", "x, children=()", [m](const MaybeExpr& x, const std::vector<nn::State>& kids) {
          return m->module(current_graph("NaryTreeLSTM"), or_first(x), kids, Where{});
        });
      });
}

void add_trees(Table& t) {
  t.add(
      "TreeLSTM", "input_size, hidden_size", [](Scope p, int in, int hidden) { return nn::TreeLSTM(p, in, hidden); },
      [](const Shared<nn::TreeLSTM>& m, Methods& to) {
        to.add("leaf", "x", [m](Expr x) { return m->module.leaf(x, Where{}); });
        to.add("node", "left, right",
               [m](const nn::State& l, const nn::State& r) { return m->module.node(l, r, Where{}); });
      });
  t.add(
      "ChildSumTreeLSTM", "input_size, hidden_size",
      [](Scope p, int in, int hidden) { return nn::ChildSumTreeLSTM(p, in, hidden); },
      [](const Shared<nn::ChildSumTreeLSTM>& m, Methods& to) {
        to.add("node", "x, children=()", [m](Expr x, const std::vector<nn::State>& kids) {
          return m->module.node(current_graph("ChildSumTreeLSTM"), x, Many<nn::State>(kids), Where{});
        });
      });
  add_nary<2>(t, "NaryTreeLSTM2");
  add_nary<3>(t, "NaryTreeLSTM3");
  add_nary<4>(t, "NaryTreeLSTM4");
  add_nary<5>(t, "NaryTreeLSTM5");
  add_nary<6>(t, "NaryTreeLSTM6");
  add_nary<8>(t, "NaryTreeLSTM8");
  t.add(
      "BidirectionalTreeLSTM", "input_size, hidden_size",
      [](Scope p, int in, int hidden) { return nn::BidirectionalTreeLSTM(p, in, hidden); },
      [](const Shared<nn::BidirectionalTreeLSTM>& m, Methods& to) {
        to.add("", "xs, parents", [m](const Rows& xs, const Ints& parents) {
          return m->module(current_graph("BidirectionalTreeLSTM"), xs, parents, Where{});
        });
      });
  const auto node = [](const auto& m, Methods& to) {
    to.add("node", "left, right", [m](Expr l, Expr r) { return m->module.node(l, r, Where{}); });
  };
  t.add("TreeRNN", "hidden_size", [](Scope p, int hidden) { return nn::TreeRNN(p, hidden); }, node);
  t.add("RNTN", "hidden_size", [](Scope p, int hidden) { return nn::RNTN(p, hidden); }, node);
  t.add(
      "MVRNN", "num_embeddings, hidden_size",
      [](Scope p, int words, int hidden) { return nn::MVRNN(p, words, hidden); },
      [](const Shared<nn::MVRNN>& m, Methods& to) {
        using Pair = std::tuple<Expr, Expr>;
        to.add("leaf", "index", [m](const Index& word) {
          const nn::MatrixVector r = m->module.leaf(current_graph("MVRNN"), word, Where{});
          return Pair(r.vector, r.matrix);
        });
        to.add("node", "left, right", [m](const Rows& l, const Rows& r) {
          if (l.size() != 2 || r.size() != 2) throw ShapeError("MVRNN: left and right must be pairs (vector, matrix)");
          const nn::MatrixVector p = m->module.node({l[0], l[1]}, {r[0], r[1]}, Where{});
          return Pair(p.vector, p.matrix);
        });
      });
}

void add_attention(Table& t) {
  t.add(
      "DotProductAttention", "dim", [](Scope p, int dim) { return nn::DotProductAttention(p, dim); },
      [](const Shared<nn::DotProductAttention>& m, Methods& to) {
        to.add("", "query, keys, values", [m](Expr query, const Rows& keys, const Rows& values) {
          if (keys.size() != values.size())
            throw ShapeError("DotProductAttention: " + std::to_string(keys.size()) + " keys and " +
                             std::to_string(values.size()) + " values are given; one value per key is needed");
          std::vector<nn::KeyValue> memory;
          for (size_t i = 0; i < keys.size(); ++i) memory.push_back({keys[i], values[i]});
          return m->module(query, memory, Where{});
        });
      });
  t.add(
      "AdditiveAttention", "query_size, input_size, hidden_size",
      [](Scope p, int query, int in, int hidden) { return nn::AdditiveAttention(p, query, in, hidden); },
      [](const Shared<nn::AdditiveAttention>& m, Methods& to) {
        to.add("remember", "rows", [m](const Rows& rows) {
          std::vector<Expr> projected;
          for (const Expr x : rows) projected.push_back(m->module.project(x, Where{}));
          return projected;
        });
        to.add("", "query, memory", [m](Expr query, const Rows& memory) { return m->module(query, memory, Where{}); });
      });
  t.add(
      "FeedForwardAttention", "input_size", [](Scope p, int in) { return nn::FeedForwardAttention(p, in); },
      [](const Shared<nn::FeedForwardAttention>& m, Methods& to) {
        to.add("", "rows", [m](const Rows& rows) { return m->module(rows, Where{}); });
      });
  t.add(
      "MultiheadAttention", "embed_dim, num_heads",
      [](Scope p, int dim, int heads) { return nn::MultiHeadAttention(p, dim, heads); },
      [](const Shared<nn::MultiHeadAttention>& m, Methods& to) {
        to.add("", "rows",
               [m](const Rows& rows) { return m->module(current_graph("MultiheadAttention"), rows, Where{}); });
      });
}

void add_graphs(Table& t) {
  t.add(
      "GraphConvolution", "in_features, out_features, activation='relu'",
      [](Scope p, int in, int out, const std::string& f) { return nn::GraphConvolution(p, in, out, to_activation(f)); },
      [](const Shared<nn::GraphConvolution>& m, Methods& to) {
        to.add("", "nodes, neighbours", [m](const Rows& nodes, const std::vector<Ints>& neighbours) {
          return m->module(nodes, neighbours, Where{});
        });
      });
  t.add(
      "Weave", "atom_size, pair_size, hidden_size, out_features",
      [](Scope p, int atom, int pair, int hidden, int out) { return nn::Weave(p, atom, pair, hidden, out); },
      [](const Shared<nn::Weave>& m, Methods& to) {
        to.add("", "atoms, pairs, ends", [m](const Rows& atoms, const Rows& pairs, const std::vector<Ints>& ends) {
          std::vector<std::array<int, 2>> both;
          for (const Ints& e : ends) {
            if (e.size() != 2) throw ShapeError("Weave: each element of ends must be a pair of atoms");
            both.push_back({e[0], e[1]});
          }
          nn::Weave::Molecule r = m->module(current_graph("Weave"), {atoms, pairs}, both, Where{});
          return std::tuple<Rows, Rows>(std::move(r.atoms), std::move(r.pairs));
        });
      });
}

void add_words(Table& t) {
  t.add(
      "CharLSTM", "letters, dim, hidden_size",
      [](Scope p, int letters, int dim, int hidden) { return nn::CharLSTM(p, letters, dim, hidden); },
      [](const Shared<nn::CharLSTM>& m, Methods& to) {
        to.add("", "word", [m](const Ints& word) { return m->module(current_graph("CharLSTM"), word, Where{}); });
      });
  t.add(
      "CharCNN", "letters, dim, filters",
      [](Scope p, int letters, int dim, int filters) { return nn::CharCNN<3>(p, letters, dim, filters); },
      [](const Shared<nn::CharCNN<3>>& m, Methods& to) {
        to.add("", "word", [m](const Ints& word) { return m->module(current_graph("CharCNN"), word, Where{}); });
      });
  t.add(
      "ClassFactoredSoftmax", "in_features, class_of_words",
      [](Scope p, int in, const Ints& classes) { return nn::ClassFactoredSoftmax(p, in, classes); },
      [](const Shared<nn::ClassFactoredSoftmax>& m, Methods& to) {
        to.add("", "h, word", [m](Expr h, int word) { return m->module.loss(h, word, Where{}); });
        to.add("words", "c", [m](int c) -> PyObject* {
          const Ref list = Ref::steal(checked(PyList_New(0)));
          for (const int word : m->module.words(c, Where{})) {
            const Ref one = Ref::steal(checked(PyLong_FromLong(word)));
            if (PyList_Append(list.get(), one.get()) < 0) throw_python();
          }
          return Ref(list).release();
        });
        to.add("class_log_probabilities", "h", [m](Expr h) { return m->module.class_log_probabilities(h, Where{}); });
        to.add("word_log_probabilities", "h, c",
               [m](Expr h, int c) { return m->module.word_log_probabilities(h, c, Where{}); });
        to.add("log_probabilities", "h", [m](Expr h) { return m->module.log_probabilities(h, Where{}); });
      });
  t.add(
      "HierarchicalSoftmax", "in_features, counts",
      [](Scope p, int in, const Ints& counts) {
        const std::vector<uint64_t> wide(counts.begin(), counts.end());
        return nn::HierarchicalSoftmax(p, in, wide);
      },
      [](const Shared<nn::HierarchicalSoftmax>& m, Methods& to) {
        to.add("", "h, word", [m](Expr h, int word) {
          return m->module.loss(current_graph("HierarchicalSoftmax"), h, word, Where{});
        });
      });
}

}  // namespace

void add_modules(PyObject* module) {
  const Ref constructors = Ref::steal(checked(PyDict_New()));
  Table t(constructors.get());
  add_feed_forward(t);
  add_recurrent(t);
  add_trees(t);
  add_attention(t);
  add_graphs(t);
  add_words(t);
  if (PyModule_AddObject(module, "modules", Ref(constructors).release()) < 0) throw_python();
}

}  // namespace espalier::python
