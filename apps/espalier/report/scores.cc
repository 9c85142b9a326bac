#include "report/scores.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

#include "report/run.h"

namespace espalier::app::report {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A name split into text and numbers: "length 12" is "length #" and 12.
struct Parts {
  std::string text;
  std::vector<std::string> numbers;  // without leading zeros: a longer number is larger
};

Parts parts_of(const std::string& name) {
  Parts parts;
  for (size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      parts.text += name[i++];
      continue;
    }
    std::string number;
    for (; i < name.size() && is_digit(name[i]); ++i)
      if (number != "0")
        number += name[i];
      else
        number = name[i];
    parts.text += '#';
    parts.numbers.push_back(number);
  }
  return parts;
}

bool numbers_less(const Parts& a, const Parts& b) {
  return std::ranges::lexicographical_compare(a.numbers, b.numbers, [](const std::string& x, const std::string& y) {
    return std::pair(x.size(), x) < std::pair(y.size(), y);
  });
}

// Moves names that differ only in numbers next to the first of them, and orders these names by their numbers.
std::vector<std::string> naturally_ordered(const std::vector<std::string>& names) {
  std::map<std::string, size_t> first;
  std::vector<std::pair<std::string, Parts>> all;
  for (const std::string& name : names) {
    all.emplace_back(name, parts_of(name));
    first.emplace(all.back().second.text, all.size());
  }
  std::ranges::sort(all, [&](const auto& a, const auto& b) {
    const size_t at_a = first[a.second.text], at_b = first[b.second.text];
    if (at_a != at_b) return at_a < at_b;
    if (a.second.numbers != b.second.numbers) return numbers_less(a.second, b.second);
    return a.first < b.first;  // "1" and "01"
  });
  std::vector<std::string> result;
  for (auto& [name, parts] : all) result.push_back(std::move(name));
  return result;
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

template <class Use>
void for_each_score(const std::vector<Run>& runs, const Use& use) {
  for (const Run& run : runs) {
    for (const auto& [number, epoch] : run.epochs)
      for (const Score& score : epoch.dev) use(score);
    for (const Score& score : best_scores(run)) use(score);
  }
}

// The variant that version 0.1 logged under this name; empty: not a variant.
std::string variant_of_0_1(const std::string& task, const std::string& name) {
  if (task == "entailment" && parts_of(name).text == "length #") return name.substr(7);
  if (task == "listops" && name == "up to 20 tokens") return "up to 20";
  if (task == "listops" && (name == "21 to 100" || name == "more than 100")) return name;
  return "";
}

}  // namespace

double value_of(const Scores& scores, const std::string& metric, const std::string& variant) {
  for (const Score& score : scores)
    if (score.metric == metric && score.variant == variant) return score.value;
  return missing;
}

Scores with_variants(const std::string& task, const Scores& scores) {
  const std::string metric = "accuracy by length in " + std::string(task == "listops" ? "tokens" : "operators");
  Scores plain, variants;
  for (const Score& score : scores)
    if (const std::string variant = variant_of_0_1(task, score.metric); score.variant.empty() && !variant.empty())
      variants.push_back({metric, variant, score.value});
    else
      plain.push_back(score);
  const auto rank = [](const Score& s) { return s.variant == "up to 20" ? 0 : s.variant == "more than 100" ? 2 : 1; };
  for (const int wanted : {0, 1, 2})  // listops logged the variants in the order of its examples, not by length
    std::ranges::copy_if(variants, std::back_inserter(plain), [&](const Score& s) { return rank(s) == wanted; });
  return plain;
}

std::vector<Metric> metrics(const std::vector<Run>& runs) {
  std::vector<std::string> choosing, others;
  std::map<std::string, std::vector<std::string>> variants;
  for_each_score(runs, [&](const Score& score) {
    add_new(others, score.metric);
    add_new(variants[score.metric], score.variant);
  });
  for (const Run& run : runs)
    if (variants.contains(run.metric)) add_new(choosing, run.metric);
  std::vector<Metric> result;
  for (const std::string& name : choosing) result.push_back({name, naturally_ordered(variants[name]), true});
  for (const std::string& name : naturally_ordered(others))
    if (std::ranges::find(choosing, name) == choosing.end())
      result.push_back({name, naturally_ordered(variants[name]), false});
  return result;
}

std::string readable_name(const std::string& metric) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> names{{{"auc", "ROC AUC"},
                                                                             {"binary", "binary accuracy"},
                                                                             {"pearson", "Pearson correlation"},
                                                                             {"spearman", "Spearman correlation"},
                                                                             {"within 0.04", "share within 0.04"}}};
  const size_t end = std::min(metric.find(" by "), metric.size());
  for (const auto& [logged, readable] : names)
    if (metric.compare(0, end, logged) == 0) return readable + metric.substr(end);
  return metric;
}

bool are_ordered(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& name) { return std::ranges::any_of(name, is_digit); });
}

}  // namespace espalier::app::report
