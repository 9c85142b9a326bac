// TagColumns: the columns of the word and of its tag, in a file with one word per line.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/io/checkpoint.h>

namespace espalier::app {

// Without a choice: the first and the last column of any file; FORM and UPOS of a CoNLL-U file.
struct TagColumns {
  std::optional<size_t> word{}, tag{};  // from 0; nullopt: the first, the last
  size_t count = 0;                     // columns of each line; 0: any number, the same in all lines of a file
  bool is_conllu = false;               // ten columns separated by tabs, the first with the number of the word

  // Restores the columns of a checkpoint; one of a file without a choice has no columns.
  static TagColumns restore(const io::Meta& meta);
  void save(io::Meta& meta) const;

  std::string names() const;  // "FORM,UPOS" or "2,4"; empty without a choice

  std::vector<std::string_view> cells(std::string_view line) const;
  bool is_comment(std::string_view line) const;
  // False: a range of words (1-2) or an empty node (1.1) of CoNLL-U.
  bool is_word(const std::vector<std::string_view>& cells) const;
};

// Whether the first line of a CoNLL-U file, after comments, looks like this one.
bool is_conllu_line(std::string_view line);

// The columns of a training file. `choice`: two numbers from 1, or names of CoNLL-U, as in "FORM,UPOS"; empty: none.
// Error: the file does not have them.
TagColumns tag_columns(const std::string& path, const std::string& choice);

}  // namespace espalier::app
