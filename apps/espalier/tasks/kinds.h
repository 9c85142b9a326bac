// Declares all tasks. Folders group them by their examples: trees, sentences, molecules, records, sequences, synthetic;
// one file per task or family of tasks. The folders words, examples and metrics hold code that several tasks share.
#pragma once
#include "task/training_task.h"

namespace espalier::app {

TaskKind addition_kind();
TaskKind arithmetic_kind();
TaskKind bace_kind();
TaskKind bbbp_kind();
TaskKind calculator_kind();
TaskKind clintox_kind();
TaskKind entailment_kind();
TaskKind esol_kind();
TaskKind fizz_buzz_kind();
TaskKind freesolv_kind();
TaskKind hiv_kind();
TaskKind images_kind();
TaskKind language_id_kind();
TaskKind lipophilicity_kind();
TaskKind listops_kind();
TaskKind lm_kind();
TaskKind molecules_kind();
TaskKind multiplication_kind();
TaskKind mutagenesis_kind();
TaskKind parser_kind();
TaskKind records_kind();
TaskKind relatedness_kind();
TaskKind sentiment_kind();
TaskKind sequences_kind();
TaskKind sider_kind();
TaskKind tagger_char_kind();
TaskKind tagger_kind();
TaskKind tox21_kind();
TaskKind trees_kind();

}  // namespace espalier::app
