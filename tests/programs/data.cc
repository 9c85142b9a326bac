// The code of docs/data.md: reads trees one by one, all at once, and from a string.
#include <cstdio>
#include <fstream>

#include <espalier/data.h>
#include <espalier/espalier.h>

namespace data = espalier::data;

int main() {
  std::ofstream("train.txt") << "(3 (2 It) (4 (2 's) (4 great)))\n(1 (2 No) (1 (2 thanks) (2 .)))\n";
  std::ofstream("dev.txt") << "(3 (2 It) (4 grows))\n(3 (2 It) (5 grew))\n";
  size_t leaves = 0;
  try {
    // clang-format off
// --- docs from here
data::Vocabulary words;
data::Lines train("train.txt");                                     // plain or gzip
for (data::sentiment::Tree tree; data::sentiment::next(train, tree, words);)
  leaves += tree.leaves();                                          // one tree at a time

words.close();                                                      // from here on, new words map to words.size()
auto tree = data::sentiment::parse("(4 (2 It) (4 works))", words);  // one line
auto dev = data::sentiment::read("dev.txt", words);                 // a whole file
// --- to here
    // clang-format on
    std::printf("%zu trees of dev, %d\n", dev.size(), tree.nodes[1].word);
  } catch (const espalier::DataError& e) {
    std::printf("%zu leaves; %s\n", leaves, e.what());
  }
}
