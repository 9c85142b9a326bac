// mutagenesis: predicts which molecules are mutagenic from nested JSON records; the model is derived from their schema.
#include <algorithm>
#include <optional>
#include <sstream>

#include "models/json_records.h"
#include "task/classifier_task.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

using Record = json::Json;

constexpr const char* label_field = "mutagenic";
constexpr size_t train_records = 100;  // the first ones, as in JsonGrinder's split

struct Labelled {
  Record record;
  int label = 0;
  std::string place{};  // "mutagenesis.json:3:17: "
};

// An error message about a record, without the source location in the model.
std::string reason(std::string_view what) { return std::string(what.substr(0, what.rfind(" (json_records.h:"))); }

class Mutagenesis : public ClassifierTask<Labelled> {
 public:
  Mutagenesis() {
    training.epochs = 30;
    training.batch = 10;
    training.lr = 3e-3;
    training.optimizer = "adamw";
    training.schedule = "cosine";
    training.weight_decay = 0.1;
  }

  void settings(Fields& f) override {
    f.add("hidden", hidden_, 1, "Hidden units of each object and list");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the encoding of a record");
  }

  // ---- data

  void read() override {
    const std::string path = data_file(data, file);
    train_ = read_file(path);
    if (train_.empty()) throw DataError(path + ": holds no records");
    dev_.assign(train_.begin() + static_cast<std::ptrdiff_t>(std::min(train_records, train_.size())), train_.end());
    train_.resize(train_.size() - dev_.size());
    std::vector<Record> samples;
    for (const Labelled& x : train_) samples.push_back(x.record);
    schema_ = json::infer_schema(samples);
    schema_["properties"].erase(label_field);
  }
  void read_dev() override {
    dev_ = read_file(data_file(data, file));
    dev_.erase(dev_.begin(), dev_.begin() + static_cast<std::ptrdiff_t>(std::min(train_records, dev_.size())));
  }
  void read_dev(const std::string& path) override { dev_ = read_file(path); }
  void save(io::Meta& meta) const override { meta["schema"] = schema_.dump(); }
  void restore(const io::Meta& meta) override { schema_ = Record::parse(meta.at("schema")); }

  void build(Scope p) override {
    model_.emplace(p, schema_,
                   models::JsonRecords::Options{.hidden = hidden_, .dropout = static_cast<float>(dropout_)});
  }

 protected:
  Expr scores(Graph& g, const Labelled& x) const override { return model_->scores(row(g, x)); }
  int class_of(const Labelled& x) const override { return x.label; }
  std::vector<std::string> labels() const override { return {"harmless", "mutagenic"}; }
  std::vector<Expr> losses(Graph& g, const Labelled& x) const override { return {model_->loss(row(g, x), x.label)}; }
  Labelled parse(const std::string& line) const override {
    std::istringstream text(line);
    json::Records records({text, "line"});
    Record record;
    if (!records.next(record)) throw DataError("line:1:1: empty line; needed a record");
    Labelled found{std::move(record), 0, records.place()};
    if (records.next(record)) throw DataError(records.place() + "a second record; needed one per line");
    return found;
  }
  std::vector<Json> answer(Engine& engine, std::span<const Labelled> records) override {
    const auto batch = engine.record(records, [&](Graph& g, const Labelled& x) { return softmax(scores(g, x)); },
                                     {.mode = Mode::infer, .skip_bad = true});  // bad: does not match the schema
    std::vector<Json> found(records.size());
    for (const Failure& failure : batch.failed) try {
        std::rethrow_exception(failure.error);
      } catch (const DataError& e) {
        const std::string_view what = e.what();  // ends with the example's index in this batch
        found[failure.example] = {{"error", std::string(what.substr(0, what.rfind(" (example ")))}};
      }
    const std::vector<Tensor> probabilities = engine.infer(batch);
    for (size_t i = 0; i < probabilities.size(); ++i) found[batch.positions[i]] = class_answer(probabilities[i].data);
    return found;
  }

 private:
  static constexpr const char* file = "json_mutagenesis/mutagenesis.json";

  Expr row(Graph& g, const Labelled& x) const {
    try {
      return model_->record(g, x.record);
    } catch (const DataError& e) {
      throw DataError(x.place + reason(e.what()));
    }
  }

  static std::vector<Labelled> read_file(const std::string& path) {
    std::vector<Labelled> records;
    json::Records in_file(path);
    for (Record record; in_file.next(record);) {
      const Record label = record.is_object() ? record.value(label_field, Record()) : Record();
      if (label != 0 && label != 1)
        throw DataError(in_file.place() + "a record must have a field " + label_field + " that is 0 or 1");
      records.push_back({std::move(record), label.get<int>(), in_file.place()});
    }
    return records;
  }

  int hidden_ = 32;
  double dropout_ = 0.3;
  Record schema_;
  std::optional<models::JsonRecords> model_;
};

}  // namespace

TaskKind mutagenesis_kind() {
  return {.name = "mutagenesis",
          .what = "Mutagenicity of molecules: a model derived from the schema of nested JSON records",
          .paper = "Looks et al. 2017; Pevný & Somol 2017",
          .data = "json_mutagenesis/mutagenesis.json",
          .line = "a JSON record; fields that some training records lack may be missing",
          .metric = "accuracy",
          .higher_is_better = true,
          .published = "0.864 (JsonGrinder), on the same last 88 records",
          .make = make_task<Mutagenesis>};
}

}  // namespace espalier::app
