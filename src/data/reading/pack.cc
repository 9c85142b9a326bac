#include <espalier/data/pack.h>

#include <charconv>
#include <functional>

#include "base/utf8.h"
#include "text/file_position.h"

namespace espalier::data {
namespace {

void write_word(std::string& to, std::string_view word) {
  while (!word.empty()) {
    const size_t n = utf8_length(word);
    if (word[0] == '\\') {
      to += "\\\\";
    } else if (word[0] == '\n') {
      to += "\\n";
    } else if (n == 0) {
      to += hex_code(word[0]);
    } else {
      to += word.substr(0, n);
    }
    word.remove_prefix(n == 0 ? 1 : n);
  }
  to += '\n';
}

std::string read_word(std::string_view written, FilePosition at) {
  std::string word;
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      word += written[i];
      continue;
    }
    const std::string_view code = written.substr(i + 1, 1);
    const size_t high = hex_digits.find(i + 2 < written.size() ? written[i + 2] : '?'),
                 low = hex_digits.find(i + 3 < written.size() ? written[i + 3] : '?');
    if (code == "\\") {
      word += '\\';
      i += 1;
    } else if (code == "n") {
      word += '\n';
      i += 1;
    } else if (code == "x" && high < 16 && low < 16) {
      word += static_cast<char>(high << 4 | low);
      i += 3;
    } else {
      at.column += i;
      at.fail("invalid escape; expected \\\\, \\n or \\xNN");
    }
  }
  return word;
}

void for_each_line(std::string_view text, std::string_view name,
                   const std::function<void(std::string_view, FilePosition)>& visit) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos)
      FilePosition{name, number, text.size() + 1}.fail("the last line does not end; the text is truncated");
    visit(text.substr(0, end), {name, number, 1});
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string pack(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) write_word(text, word);
  return text;
}

std::string pack(const Vocabulary& words) {
  std::string text;
  for (int i = 0; i < words.size(); ++i) {
    text += std::to_string(words.count(i)) + '\t';
    write_word(text, words.word(i));
  }
  return text;
}

std::vector<std::string> unpack_words(std::string_view text, std::string_view name) {
  std::vector<std::string> words;
  for_each_line(text, name, [&](std::string_view line, FilePosition at) { words.push_back(read_word(line, at)); });
  return words;
}

Vocabulary unpack_vocabulary(std::string_view text, std::string_view name) {
  Vocabulary words;
  for_each_line(text, name, [&](std::string_view line, FilePosition at) {
    const std::string_view count = line.substr(0, line.find('\t'));
    uint64_t times = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), times);
    if (error != std::errc{} || end != count.data() + count.size() || count.size() == line.size())
      at.fail(quoted(count) + " is not a count; expected count, tab, word");
    at.column += count.size() + 1;
    const std::string word = read_word(line.substr(count.size() + 1), at);
    if (words.find(word) >= 0) at.fail(quoted(word) + " occurs twice");
    words.add(word, times);
  });
  return words;
}

}  // namespace espalier::data
