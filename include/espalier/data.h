// Readers of published data sets and synthetic data: files to plain structs. Link espalier::data.
#pragma once

#include <espalier/data/arithmetic.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/conllu.h>
#include <espalier/data/fill.h>
#include <espalier/data/labelled_tree.h>
#include <espalier/data/listops.h>
#include <espalier/data/logic.h>
#include <espalier/data/molecule.h>
#include <espalier/data/pack.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/sick.h>
#include <espalier/data/synthetic/digit_images.h>
#include <espalier/data/synthetic/fizz_buzz.h>
#include <espalier/data/synthetic/languages.h>
#include <espalier/data/synthetic/marked.h>
#include <espalier/data/table.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>
#include <espalier/data/treebank.h>
#include <espalier/data/vocabulary.h>
#include <espalier/data/word_vectors.h>
#include <espalier/text/lines.h>
