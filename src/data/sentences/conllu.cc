#include <espalier/data/conllu.h>

#include <algorithm>
#include <array>

#include "data/reading/all.h"
#include "data/reading/number.h"
#include "data/sentences/heads.h"
#include "text/file_position.h"

namespace espalier::data::conllu {
namespace {

enum Column : size_t { id, form, lemma, upos, xpos, feats, head, deprel, deps, misc, columns };

class SentenceReader {
 public:
  explicit SentenceReader(Lines& lines) : lines_(lines) {}

  bool read(Sentence& sentence) {
    sentence.clear();
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.empty()) {
        if (open_) break;
        continue;
      }
      if (line.starts_with('#')) continue;
      open_ = true;
      cut(line);
      if (is_word(sentence.size() + 1)) take(sentence);
    }
    if (open_ && sentence.empty()) lines_.fail(1, "the sentence has no words; expected a line that begins with 1");
    check_heads(sentence);
    return !sentence.empty();
  }

 private:
  struct Arc {
    size_t line, column;  // position of the head column in the file
  };

  void cut(std::string_view line) {
    size_t begin = 0, n = 0;
    for (;; ++n) {
      const size_t end = std::min(line.find('\t', begin), line.size());
      if (n < columns) {
        field_[n] = line.substr(begin, end - begin);
        at_[n] = begin + 1;
      }
      if (end == line.size()) break;
      begin = end + 1;
    }
    if (++n != columns) lines_.fail(1, std::to_string(n) + " columns; expected 10, separated by tabs");
    for (size_t c = 0; c < columns; ++c)
      if (field_[c].empty())
        lines_.fail(at_[c], "column " + std::to_string(c + 1) + " is empty; expected a value or _");
  }

  // True for the next word; false for a multiword token or an empty node, which are skipped.
  bool is_word(size_t due) const {
    const std::string_view text = field_[id];
    if (const size_t sign = text.find_first_of("-."); sign != std::string_view::npos) {
      if (!parse_number<unsigned>(text.substr(0, sign)) || !parse_number<unsigned>(text.substr(sign + 1))) fail_id(due);
      return false;
    }
    if (parse_number<size_t>(text) != due) fail_id(due);
    return true;
  }
  [[noreturn]] void fail_id(size_t due) const {
    lines_.fail(1, quoted(field_[id]) + " is not the number of the next word; expected " + std::to_string(due));
  }

  void take(Sentence& sentence) {
    int to = -1;
    if (field_[head] != "_") {
      const auto number = parse_number<int>(field_[head]);
      if (!number || *number < 0)
        lines_.fail(at_[head], quoted(field_[head]) + " is not a head; expected a word number, 0 or _");
      to = *number;
    }
    if (!sentence.empty() && (sentence[0].head < 0) != (to < 0))
      lines_.fail(at_[head], quoted(field_[head]) + " after words " + (to < 0 ? "with" : "without") +
                                 " heads; expected heads for all words of a sentence, or for none");
    const auto text = [&](Column c) { return std::string(field_[c]); };
    sentence.push_back({text(form), text(lemma), text(upos), text(xpos), text(deprel), to});
    arcs_.push_back({lines_.number(), at_[head]});
  }

  [[noreturn]] void fail_head(size_t word, const std::string& what) const {
    FilePosition{lines_.name(), arcs_[word].line, arcs_[word].column}.fail(what);
  }

  void check_heads(const Sentence& sentence) const {
    const size_t n = sentence.size();
    for (size_t i = 0; i < n; ++i)
      if (sentence[i].head > static_cast<int>(n))
        fail_head(i, "head " + std::to_string(sentence[i].head) + " of word " + std::to_string(i + 1) +
                         " in a sentence of " + std::to_string(n) + " words");
    std::vector<int> heads;
    for (const Word& word : sentence) heads.push_back(word.head);
    if (const auto word = on_a_cycle(heads))
      fail_head(*word - 1, "word " + std::to_string(*word) + " is its own ancestor; the heads must form a tree");
  }

  Lines& lines_;
  bool open_ = false;
  std::array<std::string_view, columns> field_;
  std::array<size_t, columns> at_{};
  std::vector<Arc> arcs_;
};

}  // namespace

bool next(Lines& lines, Sentence& sentence) { return SentenceReader(lines).read(sentence); }

std::vector<Sentence> read(Lines lines) {
  return all_of<Sentence>([&](Sentence& sentence) { return next(lines, sentence); });
}

bool is_projective(const Sentence& sentence) {
  struct Part {
    size_t first, last, words = 1, open = 0;  // open: children not yet counted
  };
  std::vector<Part> parts;
  for (size_t i = 0; i < sentence.size(); ++i) parts.push_back({i, i});
  const auto head_of = [&](size_t i) { return static_cast<size_t>(sentence[i].head) - 1; };
  for (const Word& word : sentence)
    if (word.head > 0) ++parts[static_cast<size_t>(word.head) - 1].open;
  std::vector<size_t> ready;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].open == 0) ready.push_back(i);
  for (; !ready.empty();) {
    const size_t i = ready.back();
    ready.pop_back();
    const Part part = parts[i];
    if (part.last - part.first + 1 != part.words) return false;
    if (sentence[i].head <= 0) continue;
    Part& above = parts[head_of(i)];
    above.first = std::min(above.first, part.first);
    above.last = std::max(above.last, part.last);
    above.words += part.words;
    if (--above.open == 0) ready.push_back(head_of(i));
  }
  return true;
}

}  // namespace espalier::data::conllu
