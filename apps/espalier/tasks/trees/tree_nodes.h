// The values of --model: node types of models::TreeEncoder.
#pragma once
#include <map>
#include <string>

#include "models/tree_encoder.h"

namespace espalier::app {

inline const std::map<std::string, models::TreeEncoder::Node> tree_nodes{
    {"tree-lstm", models::TreeEncoder::Node::tree_lstm},
    {"tree-rnn", models::TreeEncoder::Node::tree_rnn},
    {"rntn", models::TreeEncoder::Node::rntn}};

}  // namespace espalier::app
