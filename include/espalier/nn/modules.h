// Modules: plain structs of parameters and cells. Constructed in a Scope; calling one is const; copies share
// parameters. docs/modules.md lists them.
#pragma once
#include <espalier/nn/attention.h>
#include <espalier/nn/characters.h>
#include <espalier/nn/embedding.h>
#include <espalier/nn/fc.h>
#include <espalier/nn/fractal_net.h>
#include <espalier/nn/graphs.h>
#include <espalier/nn/layer_norm.h>
#include <espalier/nn/linear.h>
#include <espalier/nn/mlp.h>
#include <espalier/nn/recurrent/bidirectional.h>
#include <espalier/nn/recurrent/deep.h>
#include <espalier/nn/recurrent/gru.h>
#include <espalier/nn/recurrent/layer_norm_lstm.h>
#include <espalier/nn/recurrent/lstm.h>
#include <espalier/nn/recurrent/rnn.h>
#include <espalier/nn/recurrent/stack_lstm.h>
#include <espalier/nn/recurrent/variational_lstm.h>
#include <espalier/nn/softmax.h>
#include <espalier/nn/tree/bidirectional_tree_lstm.h>
#include <espalier/nn/tree/nary_tree_lstm.h>
#include <espalier/nn/tree/tree_lstm.h>
#include <espalier/nn/tree/tree_rnn.h>
