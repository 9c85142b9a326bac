// Packs words into one UTF-8 text for the metadata of a checkpoint, and unpacks them exactly, whatever bytes they hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data {

// One word per line, in order. Backslashes, line ends and invalid UTF-8 bytes are written as \\, \n and \xNN.
ESPALIER_API std::string pack(const std::vector<std::string>& words);
// One "count TAB word" per line, ordered by word index.
ESPALIER_API std::string pack(const Vocabulary& words);

// Inverse of pack(). DataError if the text is malformed: "labels:3:17: …", beginning with `name`.
ESPALIER_API std::vector<std::string> unpack_words(std::string_view text, std::string_view name = "words");
ESPALIER_API Vocabulary unpack_vocabulary(std::string_view text, std::string_view name = "vocabulary");

}  // namespace espalier::data
