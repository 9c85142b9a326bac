// Readers of trees. A binary tree is a list of (label, word, left, right), any other tree a list of (label, word,
// children): indices of nodes, children first. -1: no label, no word.
#include <espalier/base/error.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/labelled_tree.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/sick.h>
#include <espalier/data/treebank.h>

#include <pybind11/stl.h>

#include "python/src/data/data.h"
#include "python/src/errors.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

namespace binary_tree = data::binary_tree;
namespace labelled_tree = data::labelled_tree;
namespace sentiment = data::sentiment;
namespace sick = data::sick;
namespace treebank = data::treebank;

py::list nodes_of(const sentiment::Tree& tree) {
  return list_of(tree.nodes, [](const auto& n) { return py::make_tuple(n.label, n.word, n.left, n.right); });
}
py::list nodes_of(const binary_tree::Tree& tree) {
  return list_of(tree.nodes, [](const auto& n) { return py::make_tuple(-1, n.leaf, n.left, n.right); });
}

// Both types of trees with lists of children and a label at every node.
template <class Tree>
py::list nodes_with_lists(const Tree& tree) {
  py::list all;
  for (const auto& n : tree.nodes) {
    py::list children;
    for (uint32_t i = 0; i < n.count; ++i) children.append(tree.lists[n.first + i]);
    all.append(py::make_tuple(n.label, n.word, children));
  }
  return all;
}

using Nodes = std::vector<std::tuple<int, int, std::vector<uint32_t>>>;
template <class Tree>
Tree tree_of(const char* who, const Nodes& nodes) {
  Tree tree;
  for (const auto& [label, word, children] : nodes) {
    if (word < 0 && children.empty()) throw DataError(std::string(who) + ": a node has neither a word nor children");
    typename Tree::Node node;
    node.label = label;
    node.word = word;
    node.first = static_cast<uint32_t>(tree.lists.size());
    node.count = static_cast<uint32_t>(children.size());
    tree.lists.insert(tree.lists.end(), children.begin(), children.end());
    tree.nodes.push_back(node);
  }
  return tree;
}

// ---- binary trees

void add_binary(py::module_& m) {
  m.def(
      "sentiment",
      [](const Text& path, const SharedVocabulary& words) {
        return examples_of<sentiment::Tree>(
            path, [words](auto& lines, auto& tree) { return sentiment::next(lines, tree, *words); },
            [](const auto& tree) { return nodes_of(tree); });
      },
      py::arg("path"), py::arg("words").none(false));
  m.def("sentiment_parse",
        [](const Text& line, data::Vocabulary& words) { return nodes_of(sentiment::parse(line.bytes, words)); });
  m.def("sentiment_generate", [](Count n, Count seed) {
    return list_of(unlocked([&] { return sentiment::generate(n, seed); }), [](const auto& t) { return nodes_of(t); });
  });
  m.def("binary_tree_generate", [](Count n, Count seed, int leaves, int kinds, const std::string& form) {
    const auto known = {std::pair("random", binary_tree::Form::random),
                        {"balanced", binary_tree::Form::balanced},
                        {"sequence", binary_tree::Form::sequence}};
    for (const auto& [name, value] : known)
      if (form == name)
        return list_of(unlocked([&] { return binary_tree::generate(n, seed, leaves, kinds, value); }),
                       [](const auto& t) { return nodes_of(t); });
    throw OptionError("binary_tree: form", form, "random, balanced or sequence");
  });
}

// ---- labelled trees

labelled_tree::Form to_form(const std::string& text) {
  if (text == "labels") return labelled_tree::Form::labels;
  if (text == "root") return labelled_tree::Form::root;
  if (text == "listops") return labelled_tree::Form::listops;
  throw OptionError("labelled_tree: form", text, "labels, root or listops");
}
const char* name_of(labelled_tree::Form form) {
  switch (form) {
    case labelled_tree::Form::labels:
      return "labels";
    case labelled_tree::Form::root:
      return "root";
    case labelled_tree::Form::listops:
      return "listops";
  }
  return "";
}

void add_labelled(py::module_& m) {
  m.def(
      "labelled_tree",
      [](const Text& path, const SharedVocabulary& labels, const SharedVocabulary& words,
         const std::optional<std::string>& form) {
        auto known = std::make_shared<std::optional<labelled_tree::Form>>();
        if (form) *known = to_form(*form);
        return examples_of<labelled_tree::Tree>(
            path,
            [labels, words, known](auto& lines, auto& tree) {
              return labelled_tree::next(lines, tree, *known, *labels, *words);
            },
            [](const auto& tree) { return nodes_with_lists(tree); });
      },
      py::arg("path"), py::arg("labels").none(false), py::arg("words").none(false), py::arg("form"));
  m.def("labelled_tree_parse",
        [](const Text& text, const std::string& form, data::Vocabulary& labels, data::Vocabulary& words) {
          return nodes_with_lists(labelled_tree::parse(text.bytes, to_form(form), labels, words));
        });
  m.def("labelled_tree_form", [](const Text& line) { return name_of(labelled_tree::form_of(line.bytes)); });
  m.def("labelled_tree_binarise", [](const Nodes& nodes, int unary) {
    const labelled_tree::BinaryTree binary =
        labelled_tree::binarise(tree_of<labelled_tree::Tree>("binarise", nodes), unary);
    py::list all;
    for (size_t i = 0; i < binary.labels.size(); ++i) {
      const auto& n = binary.tree.nodes[i];
      all.append(py::make_tuple(binary.labels[i], n.leaf, n.left, n.right));
    }
    return all;
  });
}

void add_treebank(py::module_& m) {
  m.def(
      "treebank",
      [](const Text& path, const SharedVocabulary& labels, const SharedVocabulary& words) {
        return examples_of<treebank::Tree>(
            path, [labels, words](auto& lines, auto& tree) { return treebank::next(lines, tree, *labels, *words); },
            [](const auto& tree) { return nodes_with_lists(tree); });
      },
      py::arg("path"), py::arg("labels").none(false), py::arg("words").none(false));
  m.def("treebank_text", [](const Nodes& nodes, const data::Vocabulary& labels, const data::Vocabulary& words) {
    auto check = [](const char* what, int i, const data::Vocabulary& known) {
      if (i >= known.size())
        throw IndexError("treebank: " + std::string(what) + " " + std::to_string(i) + " is not in a vocabulary of " +
                         std::to_string(known.size()));
    };
    for (const auto& [label, word, children] : nodes) {
      if (label < 0) throw IndexError("treebank: a node has no label");
      check("label", label, labels);
      check("word", word, words);
    }
    return Text{treebank::to_text(tree_of<treebank::Tree>("treebank", nodes), labels, words)};
  });
}

// ---- dependency trees: (words, parents, order, children)

py::tuple parts_of(const sick::Tree& tree) {
  py::list children;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    py::list of;
    for (const uint32_t child : tree.children(i)) of.append(child);
    children.append(of);
  }
  return py::make_tuple(list_of(tree.nodes, [](const auto& n) { return py::int_(n.word); }),
                        list_of(tree.nodes, [](const auto& n) { return py::int_(n.parent); }),
                        list_of(tree.order, [](uint32_t i) { return py::int_(i); }), children);
}
py::tuple parts_of(const sick::Pair& pair) {
  return py::make_tuple(parts_of(pair.a), parts_of(pair.b), pair.similarity);
}

void add_sick(py::module_& m) {
  m.def(
      "sick",
      [](const Text& folder, const SharedVocabulary& words) {
        auto reader = std::make_shared<sick::Reader>(folder.bytes, *words);
        return Examples{[reader, words]() -> py::object {
          sick::Pair pair;
          return reader->next(pair) ? py::object(parts_of(pair)) : py::object();
        }};
      },
      py::arg("folder"), py::arg("words").none(false));
  m.def("sick_parse",
        [](const Text& line, data::Vocabulary& words) { return parts_of(sick::parse(line.bytes, words)); });
}

}  // namespace

void add_trees(py::module_& m) {
  add_binary(m);
  add_labelled(m);
  add_treebank(m);
  add_sick(m);
}

}  // namespace espalier::python
