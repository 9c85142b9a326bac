#include "tasks/examples/split.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <espalier/train/minibatches.h>

namespace espalier::app {
namespace {

// The number of the dev part, from 0.
size_t dev_part(const Folds& folds) {
  if (folds.chosen > folds.count)
    throw Error(fmt::format("--fold {} of {} folds; must be 0 to {}", folds.chosen, folds.count, folds.count));
  return static_cast<size_t>(std::max(folds.chosen, 1) - 1);
}

size_t share_of(size_t n, double share) { return static_cast<size_t>(static_cast<double>(n) * share + 1e-9); }

using Group = std::vector<uint64_t>;

std::vector<Group> largest_first(const std::vector<std::string>& groups) {
  std::map<std::string, Group> by_name;
  for (size_t i = 0; i < groups.size(); ++i) by_name[groups[i]].push_back(i);
  std::vector<Group> all;
  for (auto& [name, group] : by_name) all.push_back(std::move(group));
  std::ranges::sort(all, [](const Group& a, const Group& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() > b.front();
  });
  return all;
}

void add(std::vector<uint64_t>& to, const Group& group) { to.insert(to.end(), group.begin(), group.end()); }

}  // namespace

Split random_split(size_t n, uint64_t seed, const Folds& folds, const SplitShares& shares) {
  const size_t part = dev_part(folds);
  if (n == 0) return {};
  const std::vector<uint64_t> order = train::minibatches(n, n, seed, 0).front().ids;
  const size_t tested_from = share_of(n, 1 - shares.test), parts = static_cast<size_t>(folds.count);
  const size_t dev_from = parts > 1 ? tested_from * part / parts : share_of(n, 1 - shares.test - shares.dev);
  const size_t dev_to = parts > 1 ? tested_from * (part + 1) / parts : tested_from;
  Split split;
  for (size_t i = 0; i < n; ++i)
    (i >= tested_from ? split.test : i >= dev_from && i < dev_to ? split.dev : split.train).push_back(order[i]);
  return split;
}

Split group_split(const std::vector<std::string>& groups, const Folds& folds, const SplitShares& shares) {
  const size_t part = dev_part(folds), n = groups.size();
  const size_t tested_from = share_of(n, 1 - shares.test);
  const size_t dev_from = folds.count > 1 ? tested_from : share_of(n, 1 - shares.test - shares.dev);
  Split split;
  std::vector<std::vector<uint64_t>> parts(static_cast<size_t>(folds.count));
  for (const Group& group : largest_first(groups)) {
    // As many as fit into train, then into dev; the others are tested.
    if (split.train.size() + group.size() <= dev_from || split.train.empty()) {
      add(split.train, group);
      add(*std::ranges::min_element(parts, {}, &std::vector<uint64_t>::size), group);
    } else if (split.train.size() + split.dev.size() + group.size() <= tested_from) {
      add(split.dev, group);
    } else {
      add(split.test, group);
    }
  }
  if (folds.count == 1) return split;
  split.dev = std::move(parts[part]);
  split.train.clear();
  for (size_t i = 0; i < parts.size(); ++i)
    if (i != part) add(split.train, parts[i]);
  return split;
}

}  // namespace espalier::app
