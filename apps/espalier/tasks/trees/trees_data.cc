// The data of TreesTask: reads trees, divides them, and derives words and classes.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <espalier/data/pack.h>

#include "base/nearest_names.h"
#include "task/targets/label_text.h"
#include "tasks/examples/input_file.h"
#include "tasks/trees/trees_task.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"

namespace espalier::app {
namespace {

namespace labelled_tree = data::labelled_tree;

const std::map<std::string, labelled_tree::Form> forms{{"labels", labelled_tree::Form::labels},
                                                       {"root", labelled_tree::Form::root},
                                                       {"listops", labelled_tree::Form::listops}};

bool has_unary_node(const labelled_tree::Tree& tree) {
  return std::ranges::any_of(tree.nodes, [](const labelled_tree::Tree::Node& n) { return n.count == 1; });
}

}  // namespace

// ---- files

TreeFile TreesTask::training_file() {
  if (train_file_.empty()) throw Error("--train FILE is missing; it names the examples to train on");
  const std::string path = input_file(data, train_file_);
  identity_.check(path);
  return read_file(path);
}

TreeFile TreesTask::empty_file(const std::string& name) const {
  TreeFile file{name, {}, {}, {}};
  const std::vector<std::string> given = given_labels();
  for (const std::string& label : given) file.labels.add(label, 0);
  if (!given.empty()) file.labels.close();
  return file;
}

TreeFile TreesTask::read_file(const std::string& path) {
  TreeFile file = empty_file(path);
  if (form_name_ != "auto") form_ = forms.at(form_name_);
  file.trees = labelled_tree::read(path, form_, file.labels, file.words);
  return file;
}

Split TreesTask::division(const TreeFile& file) const {
  return random_split(file.trees.size(), training.seed, folds, {.test = test_file_.empty() ? 0.1 : 0});
}

Split TreesTask::split(const TreeFile& file) const {
  if (folds.count > 1 && !dev_file_.empty())
    throw Error(fmt::format("--folds {} divides one file; remove --dev {}", folds.count, dev_file_));
  Split parts;
  if (dev_file_.empty()) {
    parts = division(file);
  } else {
    parts.train.resize(file.trees.size());
    std::iota(parts.train.begin(), parts.train.end(), uint64_t{0});
  }
  std::erase_if(parts.train, [&](uint64_t i) { return !is_trained_on(file.trees[i]); });
  return parts;
}

void TreesTask::read() {
  const TreeFile file = training_file();
  const Split parts = split(file);
  learn(file, parts.train);
  train_counts_ = dev_counts_ = {};
  constexpr auto all = std::numeric_limits<size_t>::max();
  train_ = examples(file, &parts.train, &train_counts_, training.limit > 0 ? static_cast<size_t>(training.limit) : all);
  test_trees_ = parts.test.size();
  weigh_classes();
  if (dev_file_.empty())
    dev_ = examples(file, &parts.dev, &dev_counts_);
  else
    dev_ = examples(read_file(input_file(data, dev_file_)), nullptr, &dev_counts_);
}

void TreesTask::read_dev(const std::string& path) {
  TreeCounts counts;
  dev_ = examples(read_file(path), nullptr, &counts);
}

void TreesTask::read_part(Part part) {
  const std::string& own = part == Part::dev ? dev_file_ : part == Part::test ? test_file_ : std::string();
  if (!own.empty()) return read_dev(input_file(data, own));
  const TreeFile file = training_file();
  const Split parts = split(file);
  if (part == Part::test && parts.test.empty())
    throw Error("this run has no test part; give a file after the run, or train with --test FILE");
  TreeCounts counts;
  dev_ = examples(file, &parts.of(part), &counts);
}

// ---- words and classes

void TreesTask::learn(const TreeFile& file, const std::vector<uint64_t>& train) {
  if (file.trees.empty()) throw DataError(file.name + ": there are no trees");
  learn_labels(file);
  words_ = {};
  has_unary_ = false;
  std::vector<std::string> spelt;
  for (int w = 0; w < file.words.size(); ++w) spelt.push_back(spelling(file.words.word(w)));
  for (const uint64_t i : train) {
    has_unary_ = has_unary_ || has_unary_node(file.trees[i]);
    for (const Tree::Node& node : file.trees[i].nodes)
      if (node.is_leaf()) words_.add(spelt[static_cast<size_t>(node.word)]);
  }
  if (vectors_ != "none") dim_ = word_vectors_.read(data, vectors_, words_);
}

void TreesTask::learn_labels(const TreeFile& file) {
  labels_ = given_labels();
  if (labels_.empty()) {
    std::vector<bool> counts(static_cast<size_t>(file.labels.size()), supervise_ == "all");
    for (const Tree& tree : file.trees) counts[static_cast<size_t>(tree.nodes.back().label)] = true;
    for (int i = 0; i < file.labels.size(); ++i)
      if (counts[static_cast<size_t>(i)]) labels_.push_back(file.labels.word(i));
    sort_labels(labels_);
  }
  number_classes();
  if (classes_.size() < 2)
    throw DataError(fmt::format("{}: the trees have {}; a classifier needs at least two classes", file.name,
                                classes_.empty() ? "no class" : "the single class '" + classes_.front() + "'"));
}

void TreesTask::number_classes() {
  const LabelNames names(label_names());
  classes_ = names.classes(labels_);
  class_numbers_.clear();
  for (const std::string& label : labels_) {
    const auto found = std::ranges::find(classes_, names.of(label));
    class_numbers_[label] = found == classes_.end() ? -1 : static_cast<int>(found - classes_.begin());
  }
}

void TreesTask::weigh_classes() {
  weights_.clear();
  if (class_weights_ == "none") return;
  std::vector<double> counts(classes_.size());
  for (const ClassifiedTree& e : train_) {
    if (supervise_ == "root") {
      ++counts[static_cast<size_t>(class_of(e))];
      continue;
    }
    for (const int c : e.classes)
      if (c >= 0) ++counts[static_cast<size_t>(c)];
  }
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (const double n : counts)
    weights_.push_back(n > 0 ? static_cast<float>(all / (static_cast<double>(counts.size()) * n)) : 1.f);
}

std::string TreesTask::spelling(std::string_view word) const {
  return lower_case_ ? plain_word(word) : std::string(word);
}

void TreesTask::save(io::Meta& meta) const {
  identity_.save(meta);
  const auto is_form = [&](const auto& named) { return named.second == form_; };
  meta["words"] = data::pack(words_);
  meta["labels"] = data::pack(labels_);
  meta["trees"] = Json{{"form", std::ranges::find_if(forms, is_form)->first}, {"unary", has_unary_}}.dump();
}

void TreesTask::restore(const io::Meta& meta) {
  identity_.restore(meta);
  words_ = data::unpack_vocabulary(meta.at("words"), "words");
  labels_ = data::unpack_words(meta.at("labels"), "labels");
  const Json trees = Json::parse(meta.at("trees"));
  form_ = forms.at(trees.at("form").get<std::string>());
  has_unary_ = trees.at("unary");
  number_classes();
}

// ---- examples

ClassifiedTree TreesTask::classified(const Tree& tree, const std::vector<int>& words,
                                     const std::vector<int>& classes) const {
  const int marker = static_cast<int>(words.size());  // stands for the unary marker in the file's words
  labelled_tree::BinaryTree binary = labelled_tree::binarise(tree, has_unary_ ? marker : -1);
  for (data::binary_tree::Tree::Node& node : binary.tree.nodes)
    if (node.is_leaf()) node.leaf = node.leaf == marker ? words_.size() + 1 : words[static_cast<size_t>(node.leaf)];
  for (int& label : binary.labels)
    if (label >= 0) label = classes[static_cast<size_t>(label)];
  return {std::move(binary.tree), std::move(binary.labels)};
}

int TreesTask::root_class(const TreeFile& file, const Tree& tree) const {
  const std::string& label = file.labels.word(tree.nodes.back().label);
  if (const auto found = class_numbers_.find(label); found != class_numbers_.end()) return found->second;
  throw DataError(fmt::format("{}:{}:1: no training tree has the label '{}'; the nearest of {} labels: {}", file.name,
                              tree.line, label, labels_.size(), nearest_names(label, labels_)));
}

std::vector<ClassifiedTree> TreesTask::examples(const TreeFile& file, const std::vector<uint64_t>* chosen,
                                                TreeCounts* counts, size_t most_counted) const {
  std::vector<int> words, classes;  // of the model
  for (int w = 0; w < file.words.size(); ++w) words.push_back(number_of(words_, spelling(file.words.word(w))));
  for (int l = 0; l < file.labels.size(); ++l) {
    const auto found = class_numbers_.find(file.labels.word(l));
    classes.push_back(found == class_numbers_.end() ? -1 : found->second);
  }
  counts->roots.assign(classes_.size(), 0);
  std::vector<ClassifiedTree> all;
  const size_t n = chosen != nullptr ? chosen->size() : file.trees.size();
  for (size_t i = 0; i < n; ++i) {
    const Tree& tree = file.trees[chosen != nullptr ? (*chosen)[i] : i];
    if (root_class(file, tree) < 0) {
      ++counts->dropped;
      continue;
    }
    all.push_back(classified(tree, words, classes));
    if (all.size() <= most_counted)
      count(tree, all.back(), words, counts);
    else
      ++counts->left_out;
  }
  return all;
}

void TreesTask::count(const Tree& tree, const ClassifiedTree& example, const std::vector<int>& words,
                      TreeCounts* counts) const {
  ++counts->trees;
  ++counts->roots[static_cast<size_t>(class_of(example))];
  counts->nodes += tree.nodes.size();
  const auto labelled = std::ranges::count_if(example.classes, [](int c) { return c >= 0; });
  counts->labelled += supervise_ == "root" ? 1 : static_cast<size_t>(labelled);
  for (const Tree::Node& node : tree.nodes) {
    if (!node.is_leaf()) continue;
    ++counts->words;
    counts->unknown += words[static_cast<size_t>(node.word)] == words_.size() ? 1 : 0;
  }
}

ClassifiedTree TreesTask::parse(const std::string& line) const {
  data::Vocabulary labels, met;
  const Tree tree = labelled_tree::parse(line, form_.value(), labels, met, "line");
  std::vector<int> words;
  for (int w = 0; w < met.size(); ++w) words.push_back(number_of(words_, spelling(met.word(w))));
  return classified(tree, words, std::vector<int>(static_cast<size_t>(labels.size()), -1));
}

}  // namespace espalier::app
