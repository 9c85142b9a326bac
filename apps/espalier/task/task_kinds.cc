// The list of tasks. Each task is defined in its own file under tasks/.
#include <fmt/format.h>

#include "nearest.h"
#include "task/training_task.h"
#include "tasks/kinds.h"

namespace espalier::app {

const std::vector<TaskKind>& task_kinds() {
  static const std::vector<TaskKind> all{
      // General tasks: the user's own data.
      molecules_kind(),
      records_kind(),
      trees_kind(),
      sequences_kind(),
      // Models from the literature.
      sentiment_kind(),
      relatedness_kind(),
      entailment_kind(),
      tagger_kind(),
      tagger_char_kind(),
      lm_kind(),
      parser_kind(),
      addition_kind(),
      multiplication_kind(),
      esol_kind(),
      freesolv_kind(),
      lipophilicity_kind(),
      bbbp_kind(),
      bace_kind(),
      hiv_kind(),
      clintox_kind(),
      tox21_kind(),
      sider_kind(),
      mutagenesis_kind(),
      listops_kind(),
      arithmetic_kind(),
      calculator_kind(),
      language_id_kind(),
      fizz_buzz_kind(),
      images_kind(),
  };
  return all;
}

const TaskKind& task_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const TaskKind& kind : task_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  const std::string meant = nearest(name, names);
  throw Error(fmt::format("there is no task '{}'", name) +
              (meant.empty() ? "; 'espalier tasks' lists all" : fmt::format("; did you mean '{}'?", meant)));
}

}  // namespace espalier::app
