#include "tasks/sequences/sequence_file.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <espalier/base/error.h>
#include <espalier/data/table.h>

#include "tasks/examples/line_examples.h"
#include "tasks/words/tokens.h"

namespace espalier::app {
namespace {

using text::Lines;

constexpr std::string_view fasttext_mark = "__label__";
const std::vector<std::string> format_names{"csv", "tsv", "fasttext", "tagged", "conll"};

bool is_word_byte(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '\'' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool is_tagged(std::string_view line) {
  const std::vector<std::string_view> all = tokens(line);
  return std::ranges::all_of(all, [](std::string_view token) {
    const size_t bar = token.rfind('|');
    return bar != std::string_view::npos && bar > 0 && bar + 1 < token.size();
  });
}

std::string place_of(const Lines& lines) { return fmt::format("{}:{}:1: ", lines.name(), lines.number()); }

// ---- one line per sequence

RawSequence read_tsv(const Lines& lines) {
  const std::string_view line = lines.line();
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) lines.fail(1, "the line has no tab; expected LABEL TAB text");
  if (tab == 0) lines.fail(1, "the label before the tab is empty; expected LABEL TAB text");
  return {words_in(line.substr(tab + 1)), {std::string(line.substr(0, tab))}, place_of(lines)};
}

RawSequence read_fasttext(const Lines& lines) {
  const std::string_view line = lines.line();
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  if (!line.substr(begin).starts_with(fasttext_mark))
    lines.fail(begin + 1, "the line has no label; expected __label__LABEL text");
  const size_t label = begin + fasttext_mark.size(), end = std::min(line.find_first_of(" \t", label), line.size());
  if (end == label) lines.fail(begin + 1, "the label is empty; expected __label__LABEL text");
  const size_t next = std::min(line.find_first_not_of(" \t", end), line.size());
  if (line.substr(next).starts_with(fasttext_mark)) lines.fail(next + 1, "a second label; a text has one label");
  return {words_in(line.substr(next)), {std::string(line.substr(label, end - label))}, place_of(lines)};
}

RawSequence read_tagged(const Lines& lines) {
  RawSequence found{{}, {}, place_of(lines)};
  for (const std::string_view token : tokens(lines.line())) {
    const size_t bar = token.rfind('|'), column = static_cast<size_t>(token.data() - lines.line().data()) + 1;
    if (bar == std::string_view::npos || bar == 0 || bar + 1 == token.size())
      lines.fail(column, fmt::format("'{}' has no {}; expected word|tag", token, bar == 0 ? "word" : "tag"));
    found.words.emplace_back(token.substr(0, bar));
    found.labels.emplace_back(token.substr(bar + 1));
  }
  return found;
}

// ---- several lines per sequence

std::vector<RawSequence> read_conll(Lines lines, const TagColumns& chosen) {
  std::vector<RawSequence> all;
  size_t count = chosen.count;  // columns
  bool is_open = false;
  while (lines.next()) {
    if (is_blank(lines.line()) || chosen.is_comment(lines.line())) {
      is_open = false;
      continue;
    }
    const std::vector<std::string_view> cells = chosen.cells(lines.line());
    if (cells.size() < 2) lines.fail(1, fmt::format("'{}' has no tag; expected a word and its tag", cells[0]));
    if (count == 0) count = cells.size();
    if (cells.size() != count)
      lines.fail(1, fmt::format("{} columns; the first line {} {}", cells.size(),
                                chosen.count > 0 ? "of the training file has" : "has", count));
    if (!chosen.is_word(cells)) continue;
    if (!is_open) all.push_back({{}, {}, place_of(lines)});
    is_open = true;
    all.back().words.emplace_back(cells[chosen.word.value_or(0)]);
    all.back().labels.emplace_back(cells[chosen.tag.value_or(count - 1)]);
  }
  return all;
}

// The words of a block of lines: alone, or in the columns of the training file.
std::vector<std::string> read_words(const std::string& block, const TagColumns& chosen) {
  std::istringstream text(block);
  Lines lines(text, "line");
  std::vector<std::string> words;
  while (lines.next()) {
    if (is_blank(lines.line()) || chosen.is_comment(lines.line())) continue;
    const std::vector<std::string_view> cells = chosen.cells(lines.line());
    if (chosen.count > 0 && cells.size() != 1 && cells.size() != chosen.count)
      lines.fail(1, fmt::format("{} columns; expected the word alone, or the {} columns of the training file",
                                cells.size(), chosen.count));
    if (chosen.is_word(cells)) words.emplace_back(cells[cells.size() == 1 ? 0 : chosen.word.value_or(0)]);
  }
  return words;
}

std::vector<RawSequence> read_csv(const std::string& path, const TextColumns& columns) {
  data::Table table(path);
  const size_t text = table.column(columns.text);
  std::vector<size_t> targets;
  for (const std::string& name : columns.targets) targets.push_back(table.column(name));
  std::vector<RawSequence> all;
  while (table.next()) {
    RawSequence& next = all.emplace_back();
    next.words = words_in(table.field(text));
    next.place = table.place(targets.empty() ? text : targets.front());
    for (const size_t target : targets) next.labels.emplace_back(table.field(target));
  }
  return all;
}

}  // namespace

std::string name(SequenceFormat format) { return format_names.at(static_cast<size_t>(format)); }
const std::vector<std::string>& sequence_formats() { return format_names; }
SequenceFormat sequence_format(const std::string& name) {
  return static_cast<SequenceFormat>(std::ranges::find(format_names, name) - format_names.begin());
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end == i) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word.size() > 1 || is_word_byte(word[0]) || static_cast<unsigned char>(word[0]) > ' ') words.emplace_back(word);
    i = end;
  }
  return words;
}

SequenceFormat detect_format(const std::string& path) {
  constexpr size_t most = 1000;  // lines to look at
  if (path.ends_with(".csv") || path.ends_with(".csv.gz")) return SequenceFormat::csv;
  Lines lines(path);
  std::string first;
  bool was_blank = false, has_blocks = false, has_columns = true, only_comments = true;
  size_t columns = 0;
  for (size_t n = 0; n < most && lines.next();) {
    if (is_blank(lines.line())) {
      was_blank = !first.empty();
      continue;
    }
    only_comments = only_comments && (lines.line().starts_with('#') || is_conllu_line(lines.line()));
    if (only_comments && is_conllu_line(lines.line())) return SequenceFormat::conll;
    if (TagColumns().is_comment(lines.line())) continue;
    if (first.empty()) first = lines.line();
    has_blocks = has_blocks || was_blank;
    const size_t count = tokens(lines.line()).size();
    if (columns == 0) columns = count;
    has_columns = has_columns && count == columns && count >= 2;
    was_blank = false;
    ++n;
  }
  if (first.empty()) throw DataError(path + ": holds no examples");
  if (first.starts_with(fasttext_mark)) return SequenceFormat::fasttext;
  if (has_blocks && has_columns) return SequenceFormat::conll;
  if (first.find('\t') != std::string::npos) return SequenceFormat::tsv;
  if (is_tagged(first)) return SequenceFormat::tagged;
  throw DataError(
      fmt::format("{}:1:1: the format is unknown; expected one of: LABEL TAB text, __label__LABEL text, "
                  "word|tag word|tag, one word and its tag per line with empty lines between sentences, or "
                  "a .csv file with --text and --target",
                  path));
}

std::vector<RawSequence> read_sequences(const std::string& path, SequenceFormat format, const TextColumns& columns,
                                        const TagColumns& tag_columns) {
  switch (format) {
    case SequenceFormat::csv:
      return read_csv(path, columns);
    case SequenceFormat::tsv:
      return line_examples<RawSequence>(path, read_tsv);
    case SequenceFormat::fasttext:
      return line_examples<RawSequence>(path, read_fasttext);
    case SequenceFormat::tagged:
      return line_examples<RawSequence>(path, read_tagged);
    case SequenceFormat::conll:
      return read_conll(Lines(path), tag_columns);
  }
  throw InternalError("read_sequences: unknown format");
}

RawSequence parse_sequence(const std::string& given, SequenceFormat format, std::span<const std::string> known_labels,
                           const TagColumns& tag_columns) {
  const auto is_known = [&](std::string_view label) {
    return std::ranges::find(known_labels, label) != known_labels.end();
  };
  RawSequence found;
  if (is_blank(given)) throw DataError("line:1:1: empty line; needed words");
  std::string_view text = given;
  if (format == SequenceFormat::conll) {
    found.words = read_words(given, tag_columns);
  } else if (format == SequenceFormat::tagged) {
    const std::vector<std::string_view> all = tokens(text);
    const bool are_tagged = is_tagged(text) && std::ranges::all_of(all, [&](std::string_view token) {
                              return is_known(token.substr(token.rfind('|') + 1));
                            });
    for (const std::string_view token : all)
      found.words.emplace_back(are_tagged ? token.substr(0, token.rfind('|')) : token);
  } else {
    if (const size_t tab = text.find('\t'); format == SequenceFormat::tsv && tab != std::string_view::npos)
      if (is_known(text.substr(0, tab))) text = text.substr(tab + 1);
    if (format == SequenceFormat::fasttext && text.starts_with(fasttext_mark))
      text = text.substr(std::min(text.find_first_of(" \t"), text.size()));
    found.words = words_in(text);
  }
  if (found.words.empty()) throw DataError("line:1:1: the example has no words");
  return found;
}

}  // namespace espalier::app
