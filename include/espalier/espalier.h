// Espalier's public interface, whole.
#pragma once

#include <espalier/base/error.h>
#include <espalier/base/minibatch.h>
#include <espalier/base/policy.h>
#include <espalier/base/version.h>
#include <espalier/data/listops.h>
#include <espalier/engine/batch.h>
#include <espalier/engine/engine.h>
#include <espalier/expr/cell.h>
#include <espalier/expr/expr.h>
#include <espalier/expr/functions.h>
#include <espalier/expr/graph.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>
#include <espalier/nn/modules.h>
#include <espalier/optim/optimizer.h>
#include <espalier/param/gradients.h>
#include <espalier/param/parameter.h>
#include <espalier/param/parameters.h>
#include <espalier/tensor/shape.h>
#include <espalier/tensor/tensor.h>
#include <espalier/train/mean.h>
#include <espalier/train/minibatches.h>
#include <espalier/train/progress.h>
