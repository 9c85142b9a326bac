// The op functions. Names and argument order follow torch.nn.functional; W is [out, in]; * is element-wise. Inside a
// cell, functions become part of its program; outside, each records one call. A ShapeError contains the user's line. A
// function that throws records nothing.
#pragma once
#include <espalier/expr/functions/algebra.h>
#include <espalier/expr/functions/axis.h>
#include <espalier/expr/functions/elementwise.h>
#include <espalier/expr/functions/leaves.h>
#include <espalier/expr/functions/loss.h>
#include <espalier/expr/functions/moment.h>
#include <espalier/expr/functions/noise.h>
#include <espalier/expr/functions/norm.h>
#include <espalier/expr/functions/product.h>
#include <espalier/expr/functions/rows.h>
#include <espalier/expr/functions/selection.h>
#include <espalier/expr/functions/shape.h>
#include <espalier/expr/functions/sparsemax.h>
#include <espalier/expr/functions/window.h>
