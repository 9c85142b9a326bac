// records: predicts targets of nested JSON records; the model is derived from their schema. mutagenesis: a preset.
#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/nearest_names.h"
#include "csv.h"
#include "models/json_records.h"
#include "task/targets/target_task.h"
#include "tasks/kinds.h"
#include "tasks/records/json_path.h"

namespace espalier::app {
namespace {

struct RecordExample {
  json::Json record;
  TargetValues target{};
};

// An error message about a record, without the source location in the model.
std::string reason(std::string_view what) { return std::string(what.substr(0, what.rfind(" (json_records.h:"))); }

class Records : public TargetTask<RecordExample> {
 public:
  Records() : TargetTask(Targets(Targets::Naming::none)) {
    training.epochs = 30;
    training.batch = 10;
    training.lr = 3e-3;
    training.optimizer = "adamw";
    training.schedule = "cosine";
    training.weight_decay = 0.01;
  }
  struct Preset {
    std::string file, target;
    int train_first, hidden;
    double dropout, weight_decay;
  };
  explicit Records(const Preset& preset) : Records() {
    file_ = preset.file;
    target_ = preset.target;
    train_first_ = preset.train_first;
    hidden_ = preset.hidden;
    dropout_ = preset.dropout;
    training.weight_decay = preset.weight_decay;
  }

  void settings(Fields& f) override {
    add_files(f, "json", "JSON file; one array of records, or one record after another");
    f.add("target", target_, {}, "Fields to predict, separated by commas; a dot leads into an object: bonds.count");
    targets_.add_to(f);
    f.add("ignore", ignored_, {}, "Fields that the model does not read, separated by commas");
    f.add("train-first", train_first_, 0,
          "Train on the first N records and evaluate on the others; 0: divide by the seed");
    f.add("hidden", hidden_, 1, "Hidden units of each object and list");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the encoding of a record");
  }

  // ---- data

  std::vector<std::string> summary() const override {
    std::vector<std::string> lines{
        fmt::format("{}: {} records", file_, part_sizes()),
        fmt::format("  fields: {}", fmt::join(paths_of(schema_), ", ")),
    };
    const bool is_one = targets_.names().size() == 1;
    for (const std::string& line : targets_.summary())
      lines.push_back("  " + (is_one ? "target '" + target_ + "': " : "") + line);
    return lines;
  }
  void save(io::Meta& meta) const override {
    TargetTask::save(meta);
    meta["schema"] = schema_.dump();
  }
  void restore(const io::Meta& meta) override {
    TargetTask::restore(meta);
    schema_ = json::Json::parse(meta.at("schema"));
  }
  PredictInput predict_input() const override { return {.kind = PredictInput::Kind::json}; }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, schema_,
                   models::JsonRecords::Options{
                       .hidden = hidden_, .outputs = targets_.row_size(), .dropout = static_cast<float>(dropout_)});
  }
  // A record of dev that does not match the schema is found before training, not after the first epoch.
  void initialise() override {
    Engine engine;
    engine.record(dev_, [&](Graph& g, const RecordExample& x) { return outputs(g, x); }, {.mode = Mode::infer});
  }

 protected:
  std::vector<RecordExample> read_file(const std::string& path) override {
    std::vector<RecordExample> all;
    const std::vector<std::string> targets = target_paths();
    targets_.set_names(targets);
    json::Records in_file(path);
    for (json::Json record; in_file.next(record);) {
      if (!record.is_object())
        throw DataError(fmt::format("{}the record is {} {}; must be an object", in_file.place(),
                                    record.is_array() || record.is_object() ? "an" : "a", record.type_name()));
      RecordExample x{std::move(record), {.place = in_file.place()}};
      for (const std::string& target : targets) x.target.texts.push_back(text_at(x, target));
      targets_.check(x.target);
      all.push_back(std::move(x));
    }
    return all;
  }
  Split divide(const std::vector<RecordExample>& all) const override {
    if (train_first_ == 0) return TargetTask::divide(all);
    Split split;
    for (size_t i = 0; i < all.size(); ++i)
      (i < static_cast<size_t>(train_first_) ? split.train : split.dev).push_back(i);
    return split;
  }

  void learn() override {
    std::vector<json::Json> samples;
    for (const RecordExample& x : train_) samples.push_back(x.record);
    schema_ = json::infer_schema(samples);
    const std::vector<std::string> paths = paths_of(schema_);
    for (const std::string& target : target_paths()) {
      const bool is_known =
          std::ranges::any_of(train_, [&](const RecordExample& x) { return at_path(x.record, target); });
      if (!is_known)
        throw DataError(fmt::format(
            "{}: no record has the field '{}'; {}", training_path(), target,
            paths.empty() ? "the records have no fields"
                          : fmt::format("the nearest of {} fields: {}", paths.size(), nearest_names(target, paths))));
    }
    TargetTask::learn();
    for (const std::string& path : target_paths()) erase_path(schema_, path);
    const auto ignored = ignored_.empty() ? std::vector<std::string>() : fields_of_csv_line(ignored_, "--ignore");
    for (const std::string& path : ignored) {
      if (ignored_ != "id" && std::ranges::find(paths, path) == paths.end())
        throw DataError(fmt::format("{}: --ignore: no record has the field '{}'; the nearest of {} fields: {}",
                                    training_path(), path, paths.size(), nearest_names(path, paths)));
      erase_path(schema_, path);
    }
    if (paths_of(schema_).empty())
      throw DataError(fmt::format("{}: the records have no field but the target {}", training_path(), target_));
  }

  Expr outputs(Graph& g, const RecordExample& x) const override {
    try {
      return (*model_)(g, x.record);
    } catch (const DataError& e) {
      throw DataError(x.target.place + reason(e.what()));
    }
  }
  RecordExample parse(const std::string& line) const override {
    std::istringstream text(line);
    json::Records records({text, "line"});
    RecordExample found;
    if (!records.next(found.record)) throw DataError("line:1:1: empty line; needed a record");
    found.target.place = records.place();
    if (json::Json more; records.next(more)) throw DataError(records.place() + "a second record; needed one per line");
    return found;
  }
  std::vector<Json> answer(Engine& engine, std::span<const RecordExample> records) override {
    const auto batch = engine.record(records, [&](Graph& g, const RecordExample& x) { return outputs(g, x); },
                                     {.mode = Mode::infer, .skip_bad = true});  // bad: does not match the schema
    std::vector<Json> found(records.size());
    for (const Failure& failure : batch.failed) try {
        std::rethrow_exception(failure.error);
      } catch (const DataError& e) {
        const std::string_view what = e.what();  // ends with the example's index in this batch
        found[failure.example] = {{"error", std::string(what.substr(0, what.rfind(" (example ")))}};
      }
    const std::vector<Tensor> rows = engine.infer(batch);
    for (size_t i = 0; i < rows.size(); ++i) found[batch.positions[i]] = targets_.answer(rows[i].values());
    return found;
  }

 private:
  std::vector<std::string> target_paths() const {
    if (target_.empty()) throw Error("--target FIELD is missing; it names the field to predict");
    return fields_of_csv_line(target_, "--target");
  }
  static std::string text_at(const RecordExample& x, const std::string& path) {
    const json::Json* value = at_path(x.record, path);
    if (value == nullptr || value->is_null()) return "";
    if (value->is_structured())
      throw DataError(fmt::format("{}{}: the target is an {}; must be a string, a number or a boolean", x.target.place,
                                  path, value->type_name()));
    return value->is_string() ? value->get<std::string>() : value->dump();
  }

  std::string target_, ignored_ = "id";
  int train_first_ = 0, hidden_ = 64;
  double dropout_ = 0.1;
  json::Json schema_;
  std::optional<models::JsonRecords> model_;
};

}  // namespace

TaskKind records_kind() {
  return {.name = "records",
          .what = "Targets of nested JSON records: a model derived from their schema",
          .paper = "Looks et al. 2017; Pevný & Somol 2017",
          .data = "--json FILE",
          .line = "a JSON record; fields that some training records lack may be missing",
          .metric = "accuracy; rmse",
          .higher_is_better = true,
          .make = make_task<Records>};
}

TaskKind mutagenesis_kind() {
  const Records::Preset preset{.file = "json_mutagenesis/mutagenesis.json",
                               .target = "mutagenic",
                               .train_first = 100,  // as in JsonGrinder's division
                               .hidden = 32,
                               .dropout = 0.3,
                               .weight_decay = 0.1};
  TaskKind kind = records_kind();
  kind.name = "mutagenesis";
  kind.what = "Mutagenicity of molecules in nested JSON records: a model derived from their schema";
  kind.data = preset.file;
  kind.metric = "accuracy";
  kind.published = "0.864 (JsonGrinder), on the same last 88 records";
  kind.preset_of = "records";
  kind.make = [preset] { return std::make_unique<Records>(preset); };
  return kind;
}

}  // namespace espalier::app
