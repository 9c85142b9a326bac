// Sequence files: labelled texts and tagged sentences in the usual formats.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/text/lines.h>

#include "tasks/sequences/tag_columns.h"

namespace espalier::app {

// csv: a header and a column of texts. tsv: LABEL TAB text. fasttext: __label__LABEL text. These have one label per
// text. tagged: word|tag word|tag. conll: one word per line, with its tag in a column, and an empty line between
// sentences. These have one label per word.
enum class SequenceFormat { csv, tsv, fasttext, tagged, conll };
std::string name(SequenceFormat format);
const std::vector<std::string>& sequence_formats();  // the names
SequenceFormat sequence_format(const std::string& name);
inline bool has_tags(SequenceFormat format) {
  return format == SequenceFormat::tagged || format == SequenceFormat::conll;
}

// Columns of a CSV file.
struct TextColumns {
  std::string text;
  std::vector<std::string> targets;
};

struct RawSequence {
  std::vector<std::string> words;
  std::vector<std::string> labels;  // one per word, or one per target
  std::string place;                // "train.tsv:3:1: ", the prefix of errors
};

// The format of a file, from its name (.csv) and its first lines. DataError: it is empty, or has none of the formats.
SequenceFormat detect_format(const std::string& path);

// Reads all sequences; texts are cut into words by words_in(). DataError with file, line and column.
std::vector<RawSequence> read_sequences(const std::string& path, SequenceFormat format, const TextColumns& columns,
                                        const TagColumns& tag_columns);

// Reads one sequence to predict: without labels, or with labels as in a file of this format, which are ignored.
// `known_labels`: the labels of the training examples. DataError, beginning with "line:": there are no words.
RawSequence parse_sequence(const std::string& text, SequenceFormat format, std::span<const std::string> known_labels,
                           const TagColumns& tag_columns);

// Cuts a text into words: runs of letters, digits, apostrophes and bytes beyond ASCII; any other character except
// whitespace is a word of its own.
std::vector<std::string> words_in(std::string_view text);

}  // namespace espalier::app
