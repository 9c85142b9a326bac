// A binary tree with classes, in the form models::TreeClassifier reads.
#pragma once
#include <vector>

#include <espalier/data/binary_tree.h>

namespace espalier::app {

struct ClassifiedTree {
  data::binary_tree::Tree tree;
  std::vector<int> classes;  // per node; -1: none
};

}  // namespace espalier::app
