// Words as one text and back, for the metadata of a checkpoint: exact, whatever bytes they hold. The text is UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data {

// One a line, in order. A backslash, a line's end and what is not UTF-8 are written as \\, \n and \xNN.
ESPALIER_API std::string pack(const std::vector<std::string>& words);
// «count TAB word» a line, by number.
ESPALIER_API std::string pack(const Vocabulary& words);

// What was packed. DataError where the text is something else: "labels:3:17: …", beginning with the name.
ESPALIER_API std::vector<std::string> unpack_words(std::string_view text, std::string_view name = "words");
ESPALIER_API Vocabulary unpack_vocabulary(std::string_view text, std::string_view name = "vocabulary");

}  // namespace espalier::data
