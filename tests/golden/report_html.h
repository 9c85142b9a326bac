// Functions that find elements in the page of `espalier report`.
#pragma once
#include <regex>
#include <string>
#include <vector>

namespace espalier::golden {

inline const std::string logs = ESPALIER_SOURCE_DIR "/tests/golden/report/";

inline size_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

// The cells of all tables, row by row.
inline std::vector<std::vector<std::string>> table(const std::string& html) {
  std::vector<std::vector<std::string>> rows;
  const std::regex cell("<t[dh][^>]*>(.*?)</t[dh]>"), tag("<[^>]*>"), row("<tr>(.*?)</tr>");
  for (auto r = std::sregex_iterator(html.begin(), html.end(), row); r != std::sregex_iterator(); ++r) {
    const std::string text = (*r)[1];
    rows.emplace_back();
    for (auto c = std::sregex_iterator(text.begin(), text.end(), cell); c != std::sregex_iterator(); ++c)
      rows.back().push_back(std::regex_replace((*c)[1].str(), tag, ""));
  }
  return rows;
}

// The first group of every match of the pattern, in order.
inline std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> result;
  const std::regex expression(pattern);
  for (auto m = std::sregex_iterator(text.begin(), text.end(), expression); m != std::sregex_iterator(); ++m)
    result.push_back((*m)[1]);
  return result;
}

// The headings of the cards, in order.
inline std::vector<std::string> titles(const std::string& html) { return all_matches(html, "<h3>(.*?)</h3>"); }

// The card with this heading; empty if it does not exist.
inline std::string card(const std::string& html, const std::string& title) {
  const size_t begin = html.find("<h3>" + title + "</h3>");
  return begin == std::string::npos ? "" : html.substr(begin, html.find("</section>", begin) - begin);
}

// Names in the legend of a card.
inline std::vector<std::string> legend(const std::string& card) {
  return all_matches(card, "<span class=\"run\">.*?</svg>(.*?)</span>");
}

}  // namespace espalier::golden
