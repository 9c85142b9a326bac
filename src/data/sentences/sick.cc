#include <espalier/data/sick.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/reading/all.h"
#include "data/reading/number.h"
#include "data/reading/words.h"
#include "data/sentences/heads.h"
#include "text/file_position.h"

namespace espalier::data::sick {
namespace {

struct Text {
  std::string_view text;
  FilePosition at;
  [[noreturn]] void fail(size_t column, const std::string& what) const {
    FilePosition{at.file, at.line, at.column + column - 1}.fail(what);
  }
};

// A tree whose words are not yet in the vocabulary.
struct Parsed {
  std::vector<std::string_view> words;
  Tree tree;
};

std::vector<int> parse_parents(const Text& given, size_t words) {
  std::vector<int> parents;
  int root = 0;
  for (Words number(given.text); number.next();) {
    const auto parent = parse_number<int>(number.word());
    if (!parent || *parent < 0 || *parent > static_cast<int>(words))
      given.fail(number.column(), quoted(number.word()) + " is not a parent; expected 0 … " + std::to_string(words) +
                                      ", the number of words");
    parents.push_back(*parent);
    if (*parent > 0) continue;
    if (root > 0)
      given.fail(number.column(), "a second root after word " + std::to_string(root) + "; expected one root");
    root = static_cast<int>(parents.size());
  }
  if (parents.size() != words)
    given.fail(1, std::to_string(parents.size()) + " parents for " + std::to_string(words) + " words");
  if (const auto word = on_a_cycle(parents))
    given.fail(1, "word " + std::to_string(*word) + " is its own ancestor; the parents must form a tree");
  return parents;
}

Parsed parse_tree(const Text& tokens, const Text& given) {
  Parsed parsed;
  for (Words word(tokens.text); word.next();) parsed.words.push_back(word.word());
  if (parsed.words.empty()) tokens.fail(1, "the line is empty; expected a sentence");
  const std::vector<int> parents = parse_parents(given, parsed.words.size());
  Tree& tree = parsed.tree;
  tree.nodes.resize(parents.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    tree.nodes[i].parent = parents[i] - 1;
    if (parents[i] == 0) {
      tree.order.push_back(static_cast<uint32_t>(i));
    } else {
      ++tree.nodes[static_cast<size_t>(parents[i]) - 1].count;
    }
  }
  uint32_t first = 0;
  for (Tree::Node& node : tree.nodes) {
    node.first = first;
    first += node.count;
  }
  tree.lists.resize(first);
  std::vector<uint32_t> filled(tree.nodes.size(), 0);
  for (size_t i = 0; i < parents.size(); ++i)
    if (parents[i] > 0) {
      const size_t parent = static_cast<size_t>(parents[i]) - 1;
      tree.lists[tree.nodes[parent].first + filled[parent]++] = static_cast<uint32_t>(i);
    }
  for (size_t i = 0; i < tree.order.size(); ++i) {  // breadth-first from the root; the loop appends to `order`
    const auto children = tree.children(tree.order[i]);
    tree.order.insert(tree.order.end(), children.begin(), children.end());
  }
  std::reverse(tree.order.begin(), tree.order.end());
  return parsed;
}

double parse_similarity(const Text& given) {
  Words word(given.text);
  word.next();
  const auto value = parse_number<double>(word.word());
  if (!value || !(*value >= 1 && *value <= 5) || word.next())
    given.fail(1, quoted(given.text) + " is not a similarity; expected a number 1 … 5");
  return *value;
}

// `given` holds words, parents, words, parents and, if it has a fifth text, the similarity.
Pair parse_pair(std::span<const Text> given, Vocabulary& words) {
  Parsed a = parse_tree(given[0], given[1]), b = parse_tree(given[2], given[3]);
  Pair pair{{}, {}, given.size() > 4 ? parse_similarity(given[4]) : 0};
  for (Parsed* parsed : {&a, &b})
    for (size_t i = 0; i < parsed->words.size(); ++i) parsed->tree.nodes[i].word = words.add(parsed->words[i]);
  pair.a = std::move(a.tree);
  pair.b = std::move(b.tree);
  return pair;
}

}  // namespace

Reader::Reader(const std::string& folder, Vocabulary& words) : words_(words) {
  for (const char* name : {"a.toks", "a.parents", "b.toks", "b.parents", "sim.txt"}) {
    const std::string path = (std::filesystem::path(folder) / name).string(), zipped = path + ".gz";
    files_.emplace_back(!std::filesystem::exists(path) && std::filesystem::exists(zipped) ? zipped : path);
  }
}

bool Reader::next(Pair& pair) {
  const Lines *going_on = nullptr, *ended = nullptr;
  for (Lines& file : files_) (file.next() ? going_on : ended) = &file;
  if (!going_on) return false;
  if (ended) ended->fail(1, "the file has fewer lines than " + going_on->name());
  std::vector<Text> texts;
  for (const Lines& file : files_) texts.push_back({file.line(), {file.name(), file.number()}});
  pair = parse_pair(texts, words_);
  return true;
}

std::vector<Pair> read(const std::string& folder, Vocabulary& words) {
  Reader reader(folder, words);
  return all_of<Pair>([&](Pair& pair) { return reader.next(pair); });
}

Pair parse(std::string_view line, Vocabulary& words, std::string_view name) {
  std::vector<Text> texts;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    texts.push_back({line.substr(begin, end - begin), {name, 1, begin + 1}});
    begin = end + 1;
  }
  if (texts.size() < 4 || texts.size() > 5)
    FilePosition{name}.fail(std::to_string(texts.size()) +
                            " columns; expected words, parents, words, parents, separated by tabs");
  return parse_pair(texts, words);
}

}  // namespace espalier::data::sick
