// Blocks: typed combinators over structured data. See docs/blocks.md.
#pragma once

#include <espalier/block/all_of.h>
#include <espalier/block/block.h>
#include <espalier/block/composition.h>
#include <espalier/block/field.h>
#include <espalier/block/fold.h>
#include <espalier/block/leaf.h>
#include <espalier/block/one_of.h>
#include <espalier/block/recursion.h>
#include <espalier/block/select.h>
#include <espalier/block/sequence.h>
#include <espalier/block/zip.h>
