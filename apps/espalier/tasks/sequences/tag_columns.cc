#include "tasks/sequences/tag_columns.h"

#include <algorithm>

#include <fmt/format.h>
#include <espalier/base/error.h>
#include <espalier/text/lines.h>

#include "base/nearest_names.h"
#include "csv.h"
#include "task/training_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/words/tokens.h"

namespace espalier::app {
namespace {

const std::vector<std::string> conllu_names{"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                            "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

bool is_digit(char c) { return '0' <= c && c <= '9'; }

std::vector<std::string_view> split_at_tabs(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    cells.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  cells.push_back(line);
  return cells;
}

bool has_tab(std::string_view line) { return line.find('\t') != std::string_view::npos; }

// A column that the user chose, by number from 1 or by name. `what`: the file and its columns, for errors.
size_t chosen_column(const std::string& given, const TagColumns& columns, const std::string& what) {
  if (columns.is_conllu)
    if (const auto named = std::ranges::find(conllu_names, given); named != conllu_names.end())
      return static_cast<size_t>(named - conllu_names.begin());
  const bool is_number = !given.empty() && given.size() < 5 && std::ranges::all_of(given, is_digit);
  const size_t number = is_number ? std::stoul(given) : 0;
  if (1 <= number && number <= columns.count) return number - 1;
  throw Error(fmt::format("--columns: there is no column '{}'; {}{}", given, what,
                          columns.is_conllu ? "; the nearest names: " + nearest_names(given, conllu_names) : ""));
}

}  // namespace

bool is_conllu_line(std::string_view line) {
  const std::vector<std::string_view> cells = split_at_tabs(line);
  return cells.size() == conllu_names.size() && !cells[0].empty() && is_digit(cells[0].front()) &&
         cells[0].find_first_not_of("0123456789-.") == std::string_view::npos;
}

std::vector<std::string_view> TagColumns::cells(std::string_view line) const {
  return is_conllu && has_tab(line) ? split_at_tabs(line) : tokens(line);
}

// CoNLL-2003 separates documents by a line -DOCSTART-; CoNLL-U has comments. A comment has no tab; a word # has one.
bool TagColumns::is_comment(std::string_view line) const {
  if (is_conllu) return line.starts_with('#') && line.size() > 1 && !has_tab(line);
  return line.starts_with("-DOCSTART-") || (line.starts_with("# ") && !has_tab(line) && tokens(line).size() != 2);
}

bool TagColumns::is_word(const std::vector<std::string_view>& cells) const {
  return !is_conllu || cells.size() < count || std::ranges::all_of(cells[0], is_digit);
}

std::string TagColumns::names() const {
  if (!word || !tag) return "";
  return is_conllu ? conllu_names.at(*word) + "," + conllu_names.at(*tag) : fmt::format("{},{}", *word + 1, *tag + 1);
}

TagColumns TagColumns::restore(const io::Meta& meta) {
  const auto found = meta.find("columns");
  if (found == meta.end()) return {};
  const Json saved = Json::parse(found->second);
  return {saved.at("word").get<size_t>(), saved.at("tag").get<size_t>(), saved.at("count").get<size_t>(),
          saved.at("conllu").get<bool>()};
}

void TagColumns::save(io::Meta& meta) const {
  if (word && tag)
    meta["columns"] = Json{{"word", *word}, {"tag", *tag}, {"count", count}, {"conllu", is_conllu}}.dump();
}

TagColumns tag_columns(const std::string& path, const std::string& choice) {
  TagColumns found;
  text::Lines lines(path);
  while (lines.next()) {
    if (is_blank(lines.line()) || (lines.line().starts_with('#') && !has_tab(lines.line())) ||
        found.is_comment(lines.line()))
      continue;
    found.is_conllu = is_conllu_line(lines.line());
    found.count = found.cells(lines.line()).size();
    break;
  }
  const std::string what =
      fmt::format("{} has {} columns{}", path, found.count, found.is_conllu ? ", those of CoNLL-U" : "");
  if (!choice.empty()) {
    const std::vector<std::string> names = fields_of_csv_line(choice, "--columns");
    if (names.size() != 2)
      throw Error(
          fmt::format("--columns {}: needed two columns, of the words and of the tags, such as FORM,UPOS or 1,2; {}",
                      choice, what));
    found.word = chosen_column(names[0], found, what);
    found.tag = chosen_column(names[1], found, what);
  } else if (found.is_conllu) {
    found.word = 1;
    found.tag = 3;
  } else {
    found.count = 0;
  }
  return found;
}

}  // namespace espalier::app
