#include "train/trainer.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "base/build.h"
#include "interrupt.h"
#include "optim/state.h"
#include "say.h"
#include "task/checkpoint.h"
#include "task/non_finite.h"
#include "task/parse_json.h"
#include "task/settings.h"
#include "train/optimizer.h"

namespace espalier::app {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The shortest decimal that identifies the float: 0.001, not 0.0010000000474974513.
double short_number(float x) {
  const std::string text = fmt::format("{}", x);
  double value = x;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_of(const Evaluation& e) {
  std::string text;
  for (const auto& [name, value] : e.scores) text += fmt::format(", {} {:.4f}", name, value);
  for (const Breakdown& breakdown : e.breakdowns) {
    std::string parts;
    for (const auto& [variant, value] : breakdown.scores)
      parts += fmt::format("{}{}: {:.4f}", parts.empty() ? "" : ", ", variant, value);
    text += fmt::format(", {} ({})", breakdown.name, parts);
  }
  return text;
}

}  // namespace

// ---- progress

Json Standing::to_json() const {
  Json j{{"loss_sum", loss_sum}, {"losses", losses}, {"seconds", seconds}, {"best_scores", best_scores}};
  if (best_epoch) {
    j["best_epoch"] = *best_epoch;
    j["best"] = best;
  }
  return j;
}

Json Standing::reproducible() const {
  Json j = to_json();
  j.erase("seconds");
  return j;
}

Standing Standing::from_json(const Json& j) {
  Standing s{j.at("loss_sum"), j.at("losses"), j.at("seconds")};
  s.best_scores = j.at("best_scores");
  if (j.contains("best_epoch")) {
    s.best_epoch = j.at("best_epoch").get<uint64_t>();
    s.best = j.at("best");
  }
  return s;
}

// ---- begin and end

Trainer::Trainer(const TaskKind& kind, TrainingTask& task, RunFolder& folder, bool quiet)
    : kind_(kind),
      task_(task),
      metric_(metric_of(kind, task)),
      folder_(folder),
      quiet_(quiet),
      engine_(task.training.engine()),
      params_(task.training.seed),
      optimizer_((task.build(params_), make_optimizer(task.training, params_))) {
  if (task.train_size() == 0) throw DataError(fmt::format("{}: there are no examples to train on", kind.name));
  if (task.dev_size() == 0) throw DataError(fmt::format("{}: there are no examples to evaluate on", kind.name));
  if (const bool ahead = task.training.ahead > 0; ahead || task.training.keep_recordings) {
    losses_ = task.losses_by_id();
    if (losses_ == nullptr)
      throw Error(fmt::format("{} waits for values while recording, so --{} cannot be used", kind.name,
                              ahead ? "ahead" : "keep-recordings"));
    if (task.training.keep_recordings) losses_ = Recorded(std::move(losses_));
  }
  task.tune(optimizer_);
  const auto lr = static_cast<float>(task.training.lr);
  const auto steps = static_cast<uint64_t>(total_steps());
  if (task.training.schedule == "linear") optimizer_.set_schedule(optim::LinearLR(lr, steps, 1, 0));
  if (task.training.schedule == "cosine") optimizer_.set_schedule(optim::CosineAnnealingLR(lr, steps));
}

double Trainer::total_steps() const {
  return static_cast<double>(task_.epoch(0).size()) * static_cast<double>(task_.training.epochs);
}

void Trainer::begin() {
  task_.initialise();
  check_keeping();
  folder_.clear();  // only now: data, settings and model are valid
  if (task_.training.average > 0) average_.emplace(params_, static_cast<float>(task_.training.average));
  folder_.log({{"event", "start"},
               {"task", kind_.name},
               {"settings", settings_of(task_)},
               {"espalier", build_text()},
               {"threads", task_.training.threads},
               {"parameters", params_.count()},
               {"train", trained_on()},
               {"dev", task_.dev_size()},
               {"data", task_.summary()},
               {"metric", metric_.name},
               {"higher_is_better", metric_.higher_is_better}});
  log_schedule();
  save_last();  // a run that is killed in its first epoch can be resumed
}

void Trainer::resume() {
  check_keeping();
  if (task_.training.average > 0) average_.emplace(params_, static_cast<float>(task_.training.average));
  check_same_data(io::load(folder_.last(), {}, false));  // before shapes are compared
  const io::Meta meta =
      io::load(folder_.last(), {&params_, &optimizer_, &engine_, {}, &position_, average_ ? &*average_ : nullptr});
  check_position();
  if (const std::string found = non_finite(params_); !found.empty())
    throw DataError(fmt::format("{}: {}; the training run that wrote it diverged", folder_.last(), found));
  try {
    standing_ = Standing::from_json(parse_json(meta.at("standing"), "standing"));
  } catch (const std::exception& e) {
    throw DataError(fmt::format("{}: the saved progress of the run is invalid: {}", folder_.last(), e.what()));
  }
  folder_.log({{"event", "resume"},
               {"epoch", position_.epoch},
               {"minibatch", position_.minibatch},
               {"epochs", task_.training.epochs},
               {"patience", task_.training.patience}});
}

// With --keep-recordings: records the first minibatch, before any file of the run changes.
void Trainer::check_keeping() {
  if (!task_.training.keep_recordings) return;
  try {
    (void)engine_.record(task_.epoch(0).front(), std::ref(losses_));
  } catch (const GraphError& e) {
    throw Error(fmt::format("{} cannot use --keep-recordings; {}", kind_.name, e.what()));
  }
}

// Compares the task's metadata: a different vocabulary of the same size would load without error but assign wrong rows.
void Trainer::check_same_data(const io::Meta& before) {
  const io::Meta now = meta(standing_.to_json());
  for (const auto& [key, value] : now)
    if (const auto it = before.find(key);
        key != "standing" && key != "settings" && (it == before.end() || it->second != value))
      throw DataError(
          fmt::format("the data differ from those of the run in {}: '{}' has changed", folder_.path(), key));
}

void Trainer::check_position() const {
  if (position_.minibatch > task_.epoch(position_.epoch).size())
    throw DataError(fmt::format("{}: the next minibatch is {}, but an epoch has {}", folder_.last(),
                                position_.minibatch, task_.epoch(position_.epoch).size()));
}

size_t Trainer::trained_on() const {
  size_t examples = 0;
  for (const Minibatch& m : task_.epoch(0)) examples += m.ids.size();
  return examples;
}

Trainer::End Trainer::run() {
  const auto epochs = static_cast<uint64_t>(task_.training.epochs);
  while (position_.epoch < epochs && !no_improvement()) {
    if (!run_epoch()) {
      save_last();
      end(End::interrupted);
      return End::interrupted;
    }
  }
  const End how = position_.epoch < epochs ? End::no_improvement : End::finished;
  end(how);
  return how;
}

bool Trainer::no_improvement() const {
  const int patience = task_.training.patience;
  return patience > 0 && standing_.best_epoch &&
         position_.epoch > *standing_.best_epoch + static_cast<uint64_t>(patience);
}

std::string name(Trainer::End end) {
  switch (end) {
    case Trainer::End::finished:
      return "finished";
    case Trainer::End::no_improvement:
      return "no improvement";
    case Trainer::End::interrupted:
      return "interrupted";
    case Trainer::End::diverged:
      return "diverged";
  }
  return {};
}

void Trainer::end(End how) {
  Json event{{"event", "end"}, {"reason", name(how)}, {"epochs", position_.epoch}};
  if (standing_.best_epoch) event["best_epoch"] = *standing_.best_epoch;
  event["dev"] = standing_.best_scores;
  event["seconds"] = standing_.seconds;
  folder_.log(event);
  if (how == End::interrupted || how == End::diverged) return;
  if (!standing_.best_epoch)
    throw NumberError(
        fmt::format("{}: the {} on dev was not finite in any epoch, so there is no best checkpoint; the last is {}",
                    kind_.name, metric_.name, folder_.last()));
  log_best_pictures();
}

// ---- an epoch

bool Trainer::run_epoch() {
  const auto start = Clock::now();
  const double before = standing_.seconds;
  const std::vector<Minibatch> minibatches = task_.epoch(position_.epoch);
  size_t examples = 0, done = 0;
  for (const Minibatch& m : minibatches) examples += m.ids.size();
  train::Progress bar(fmt::format("epoch {}", position_.epoch), examples, quiet_);
  size_t before_resume = 0;
  for (uint64_t i = 0; i < position_.minibatch; ++i) before_resume += minibatches[i].ids.size();
  bar.skip(before_resume);
  EpochGradients gradients(task_, engine_, minibatches, position_.minibatch, losses_);
  const uint64_t log_every = minibatches.size() / 100 + 1, check_every = minibatches.size() / 10 + 1;
  for (uint64_t i = position_.minibatch; i < minibatches.size(); ++i) {
    if (interrupt_asked()) return false;
    if (const auto mean = gradients.next()) step(*mean);
    done += minibatches[i].ids.size();
    position_.minibatch = i + 1;
    standing_.seconds = before + since(start);
    const double loss = standing_.loss_sum / standing_.losses;
    bar.advance(minibatches[i].ids.size(), {{"loss", std::round(loss * 1e4) / 1e4}});
    if (i % check_every == 0) check_parameters();
    if (i % log_every == 0)
      folder_.log({{"event", "train"},
                   {"epoch", position_.epoch},
                   {"minibatch", i},
                   {"loss", loss},
                   {"lr", short_number(optimizer_.lr())}});
    if (i + 1 < minibatches.size() && is_time_to_save()) save_last();
  }
  bar.finish();
  check_parameters();  // the dev score could be finite even with non-finite parameters

  const double seconds = since(start), loss = standing_.loss_sum / standing_.losses;
  const uint64_t epoch = position_.epoch;
  Json event{{"event", "epoch"},
             {"epoch", epoch},
             {"loss", loss},
             {"seconds", seconds},
             {"examples_per_s", static_cast<double>(done) / seconds},
             {"lr", short_number(optimizer_.lr())}};
  if (average_) average_->swap_in();
  const Evaluation e = task_.evaluate(engine_);
  const Json scores = scores_json(e);
  const double score = e.scores.front().second;
  const bool better =
      std::isfinite(score) &&
      (!standing_.best_epoch || (metric_.higher_is_better ? score > standing_.best : score < standing_.best));
  if (better) {
    standing_.best_epoch = epoch;
    standing_.best = score;
    standing_.best_scores = scores;
    save_best();
  }
  if (average_) average_->swap_out();
  event["dev"] = scores;
  event["best"] = better;
  folder_.log(event);
  if (!quiet_) say("epoch {}: loss {:.4f}{} on dev{}", epoch, loss, text_of(e), better ? " (best so far)" : "");
  position_ = {epoch + 1, 0};
  standing_.loss_sum = standing_.losses = 0;
  standing_.seconds = before + since(start);
  save_last();
  return true;
}

void Trainer::step(const EpochGradients::Mean& mean) {
  const auto& [gradients, losses] = mean;
  const double loss = gradients.loss().get();
  if (!std::isfinite(loss)) {
    const std::string found = non_finite(params_);
    diverge(
        fmt::format("the loss is {}{}{}", std::isnan(loss) ? "NaN" : "infinite", found.empty() ? "" : ", and ", found));
  }
  if (average_)
    average_->step(optimizer_, gradients);
  else
    optimizer_.step(gradients);
  standing_.loss_sum += loss * static_cast<double>(losses);
  standing_.losses += static_cast<double>(losses);
}

// ---- files

io::Meta Trainer::meta(const Json& standing) {
  io::Meta meta = checkpoint_meta(kind_, task_);
  meta["standing"] = standing.dump();
  meta["examples"] = fmt::format("{} to train on, {} for dev", trained_on(), task_.dev_size());
  return meta;
}

void Trainer::save_last() {
  check_parameters();
  if (const std::string found = non_finite(optimizer_); !found.empty()) diverge("the optimiser's " + found);
  io::save(folder_.last(),
           {&params_, &optimizer_, &engine_, meta(standing_.to_json()), &position_, average_ ? &*average_ : nullptr});
  const int keep = task_.training.keep_checkpoints;
  if (keep > 0) folder_.keep_last(optimizer_.state().steps(), keep);
  saved_at_ = Clock::now();
}

// Identical runs write identical bytes. Requires that the moving averages, if used, are swapped in.
void Trainer::save_best() {
  check_parameters();
  io::save(folder_.best(), {.params = &params_, .meta = meta(standing_.reproducible())});
}

bool Trainer::is_time_to_save() const {
  const double minutes = task_.training.save_every;
  return minutes > 0 && since(saved_at_) >= 60 * minutes;
}

void Trainer::check_parameters() {
  if (const std::string found = non_finite(params_); !found.empty()) diverge(found);
}

void Trainer::diverge(const std::string& what) {
  end(End::diverged);
  std::error_code error;
  const bool saved = std::filesystem::exists(folder_.last(), error);
  throw NumberError(
      fmt::format("training has diverged: {} after step {} (epoch {}, minibatch {}); a lower --lr or --clip may "
                  "help; {}",
                  what, optimizer_.state().steps(), position_.epoch, position_.minibatch,
                  saved ? "the last checkpoint with finite values is " + folder_.last() : "there is no checkpoint"));
}

// Logs the schedule of the first minibatch, in one thread, for the report.
void Trainer::log_schedule() {
  const std::vector<Minibatch> minibatches = task_.epoch(0);
  if (minibatches.empty()) return;
  Engine engine({.threads = 1, .seed = task_.training.seed});
  const DryRun run = engine.dry_run(task_.record(engine, minibatches.front()));
  Json steps = Json::array();
  for (const DryRun::Step& step : run.steps)
    steps.push_back({{"cell", run.cells[step.cell].name}, {"calls", step.calls}});
  folder_.log({{"event", "schedule"},
               {"epoch", 0},
               {"examples", minibatches.front().ids.size()},
               {"calls", run.calls},
               {"lower_bound", run.fewest_steps},
               {"policy", "auto"},
               {"steps", steps}});
}

// Logs the confusion matrix or scatter plot of the best parameters. Overwrites the current ones: training has ended.
void Trainer::log_best_pictures() {
  io::load(folder_.best(), {.params = &params_});
  const Evaluation e = task_.evaluate(engine_);
  if (!e.confusion.empty()) folder_.log({{"event", "confusion"}, {"labels", e.labels}, {"counts", e.confusion}});
  if (!e.gold.empty()) {
    constexpr size_t most = 2000;
    const size_t n = std::min(most, e.gold.size());
    folder_.log(
        {{"event", "scatter"},
         {"gold", std::vector<float>(e.gold.begin(), e.gold.begin() + static_cast<std::ptrdiff_t>(n))},
         {"predicted", std::vector<float>(e.predicted.begin(), e.predicted.begin() + static_cast<std::ptrdiff_t>(n))},
         {"unit", e.unit}});
  }
}

}  // namespace espalier::app
