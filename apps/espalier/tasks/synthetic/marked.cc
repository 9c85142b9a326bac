// addition, multiplication: the sum or product of the two marked numbers of a long sequence. Synthetic data.
#include <cmath>
#include <optional>

#include <espalier/data/synthetic/marked.h>
#include <espalier/text/lines.h>
#include "models/feed_forward_attention.h"
#include "task/listed_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

namespace marked = data::marked;
using marked::Problem, marked::Sequence;

constexpr float near = 0.04f;  // maximum error of a correct answer

class Marked : public ListedTask<Sequence> {
 public:
  explicit Marked(Problem problem) : problem_(problem) {
    training.epochs = 12;
    training.batch = 20;
    training.lr = 3e-3;
    training.schedule = "cosine";
    training.clip = 1;
  }

  void settings(Fields& f) override {
    f.add("hidden", hidden_, 1, "Hidden units per step");
    f.add("shortest", shortest_, 4, "Length of the shortest sequence");
    f.add("longest", longest_, 4, "Length of the longest sequence");
    f.add("generate", generate_, 1, "Number of training sequences");
    f.add("judge", held_out_, 1, "Number of dev sequences");
  }

  // ---- data

  void read() override {
    train_ = generated(training_seed, generate_);
    read_dev();
  }
  void read_dev() override { dev_ = generated(dev_seed, held_out_); }
  void read_dev(const std::string& path) override {
    dev_ = line_examples<Sequence>(path, [&](const data::Lines& lines) {
      return marked::parse(problem_, lines.line(), lines.name(), lines.number());
    });
  }

  void build(Scope p) override { model_.emplace(p, hidden_); }

  // ---- training and evaluation

  Evaluation evaluate(Engine& engine) override {
    Evaluation e;
    train::Mean right, square;
    infer(
        engine, dev_, [&](Graph& g, const Sequence& s) { return (*model_)(g, s.steps); },
        [&](const Sequence& s, const Tensor& found) {
          const float off = found[0] - s.target;
          e.gold.push_back(s.target);
          e.predicted.push_back(found[0]);
          right.add(std::abs(off) <= near);
          square.add(off * off);
        });
    e.scores = {{"within 0.04", right.get()}, {"rmse", std::sqrt(square.get())}};
    return e;
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Sequence& s) const override {
    const float target[] = {s.target};
    return {mse_loss((*model_)(g, s.steps), input(g, target, {1}))};
  }
  uint32_t size(const Sequence& s) const override { return static_cast<uint32_t>(s.steps.size()); }
  Sequence parse(const std::string& line) const override { return marked::parse(problem_, line); }
  std::vector<Json> answer(Engine& engine, std::span<const Sequence> sequences) override {
    std::vector<Json> found;
    infer(
        engine, sequences, [&](Graph& g, const Sequence& s) { return (*model_)(g, s.steps); },
        [&](const Sequence&, const Tensor& y) { found.push_back({{"target", y[0]}}); });
    return found;
  }

 private:
  static constexpr uint64_t training_seed = 1, dev_seed = 2;  // independent of --seed

  std::vector<Sequence> generated(uint64_t seed, int n) const {
    const marked::Lengths lengths{static_cast<size_t>(shortest_), static_cast<size_t>(longest_)};
    std::vector<Sequence> all;
    for (int i = 0; i < n; ++i) all.push_back(marked::draw(problem_, seed, static_cast<uint64_t>(i), lengths));
    return all;
  }

  Problem problem_;
  int hidden_ = 100, shortest_ = 50, longest_ = 1000, generate_ = 5000, held_out_ = 500;
  std::optional<models::FeedForwardAttention> model_;
};

TaskKind marked_kind(Problem problem, std::string name, std::string what) {
  return {.name = std::move(name),
          .what = std::move(what) + ": feed-forward attention",
          .paper = "Raffel & Ellis 2015; Hochreiter & Schmidhuber 1997",
          .data = "generated",
          .line = "numbers, two of them marked: 0.31 -0.5* 0.2 0.77* 0",
          .metric = "within 0.04",
          .higher_is_better = true,
          .published = "solved (Raffel & Ellis)",
          .make = [problem] { return std::make_unique<Marked>(problem); }};
}

}  // namespace

TaskKind addition_kind() {
  return marked_kind(Problem::addition, "addition", "The sum of two marked numbers of a long sequence");
}
TaskKind multiplication_kind() {
  return marked_kind(Problem::multiplication, "multiplication", "The product of two marked numbers of a long sequence");
}

}  // namespace espalier::app
