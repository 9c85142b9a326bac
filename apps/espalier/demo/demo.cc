// espalier demo: trains a binary Tree-LSTM to evaluate ListOps expressions, and shows the speedup from batching.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <espalier/data/listops.h>
#include <espalier/espalier.h>

#include "command.h"
#include "demo/demo.h"
#include "interrupt.h"
#include "program.h"

namespace espalier::app {
namespace {

namespace listops = data::listops;
using listops::BinaryTree;
using Clock = std::chrono::steady_clock;

// Measured on two cores: one minute of training reaches a dev accuracy of 0.9 or more.
constexpr size_t train_size = 100'000, dev_size = 1'000, minibatch = 64, dev_every = 200;  // dev_every: in minibatches
constexpr listops::Options grammar{.max_depth = 20, .max_args = 5, .max_tokens = 100};
constexpr int embedding = 32, hidden = 64, digits = 10;
constexpr float learning_rate = 6e-3f, clip = 1;

struct Settings {
  double seconds = 60;
  uint64_t seed = 1;
  int threads = std::thread::hardware_concurrency() > 1 ? 2 : 1;
  bool quiet = false;
};

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The network for one expression.
struct Model {
  nn::Embedding tokens;
  nn::TreeLSTM lstm;
  nn::Linear out;
  explicit Model(Scope p)
      : tokens(p / "tokens", listops::tokens, embedding),
        lstm(p / "lstm", embedding, hidden),
        out(p / "out", hidden, digits) {}

  // The state of every node. Children precede their parents, so a loop suffices, and a deep tree needs no stack.
  std::vector<nn::State> encode(Graph& g, const BinaryTree& tree) const {
    std::vector<nn::State> states;
    states.reserve(tree.nodes.size());
    for (const BinaryTree::Node& node : tree.nodes)
      states.push_back(node.is_leaf() ? lstm.leaf(tokens(g, node.token))
                                      : lstm.node(states[node.left], states[node.right]));
    return states;
  }

  // Scores of the ten possible values of the whole expression.
  Expr scores(Graph& g, const BinaryTree& tree) const { return out(encode(g, tree).back().h); }

  // One loss per closed list, nested ones included: each list has a value.
  std::vector<Expr> losses(Graph& g, const BinaryTree& tree) const {
    const std::vector<nn::State> states = encode(g, tree);
    std::vector<Expr> result;
    for (size_t i = 0; i < states.size(); ++i)
      if (const BinaryTree::Node& node = tree.nodes[i]; !node.is_leaf() && node.value >= 0)
        result.push_back(cross_entropy(out(states[i].h), node.value));
    return result;
  }
};

// A model with its engine and optimiser.
struct Trainer {
  Engine engine;
  Parameters params;
  Model model;
  optim::Adam adam;
  Trainer(const Settings& s, Policy policy, int threads)
      : engine({.policy = policy, .threads = threads, .seed = s.seed}),
        params(s.seed),
        model(params),
        adam(params, {.lr = learning_rate, .clip_norm = clip}) {}

  // One minibatch; returns the mean loss.
  double step(const std::vector<BinaryTree>& trees, const Minibatch& m) {
    const auto batch = engine.record(m, [&](Graph& g, uint64_t i) { return model.losses(g, trees[i]); });
    std::vector<Expr> losses;
    for (const std::vector<Expr>& of_tree : batch.results) losses.insert(losses.end(), of_tree.begin(), of_tree.end());
    const Gradients gradients = engine.backward(losses, 1 / static_cast<float>(losses.size()));
    adam.step(gradients);
    return gradients.loss().get();
  }

  std::vector<int> answers(std::span<const BinaryTree> trees) {
    const auto batch = engine.record(trees, [&](Graph& g, const BinaryTree& tree) { return model.scores(g, tree); },
                                     {.mode = Mode::infer});
    std::vector<int> result;
    for (const Tensor& scores : engine.infer(batch))
      result.push_back(static_cast<int>(std::ranges::max_element(scores) - scores.begin()));
    return result;
  }

  double accuracy(std::span<const BinaryTree> trees) {
    constexpr size_t at_once = 250;
    train::Mean right;
    for (size_t begin = 0; begin < trees.size(); begin += at_once) {
      const auto part = trees.subspan(begin, std::min(at_once, trees.size() - begin));
      const std::vector<int> found = answers(part);
      for (size_t i = 0; i < part.size(); ++i) right.add(found[i] == part[i].value());
    }
    return right.get();
  }
};

struct Data {
  std::vector<listops::Expression> dev_expressions;
  std::vector<BinaryTree> train, dev;
  explicit Data(uint64_t seed) {
    const auto all = listops::generate(dev_size + train_size, seed, grammar);  // no two are equal
    dev_expressions.assign(all.begin(), all.begin() + dev_size);
    for (const listops::Expression& e : all) (dev.size() < dev_size ? dev : train).push_back(listops::binarise(e));
  }
};

// ---- training

struct Trained {
  size_t trees = 0, minibatches = 0;
  double seconds = 0, loss = 0, accuracy = 0;
};

// Three decimals: the progress bar has little space.
double shown(double loss) { return std::round(loss * 1e3) / 1e3; }

Trained train(Trainer& trainer, const Data& data, const Settings& settings) {
  train::Progress bar("demo", data.train.size(), settings.quiet);
  const auto start = Clock::now();
  Trained t;
  const auto is_over = [&] { return t.seconds >= settings.seconds || interrupt_asked(); };
  for (uint64_t epoch = 0; t.minibatches == 0 || !is_over(); ++epoch) {
    for (const Minibatch& m : train::minibatches(data.train.size(), minibatch, settings.seed, epoch)) {
      const double loss = trainer.step(data.train, m);
      t.loss = t.minibatches == 0 ? loss : t.loss + 0.02 * (loss - t.loss);  // running mean, for display
      t.trees += m.ids.size();
      ++t.minibatches;
      t.seconds = since(start);
      bar.expect(static_cast<size_t>(static_cast<double>(t.trees) * std::max(settings.seconds / t.seconds, 1.0)));
      if (t.minibatches % dev_every == 0) {
        t.accuracy = trainer.accuracy(data.dev);
        bar.advance(m.ids.size(), {{"loss", shown(t.loss)}, {"dev", t.accuracy}});
      } else {
        bar.advance(m.ids.size(), {{"loss", shown(t.loss)}});
      }
      if (is_over()) break;
    }
  }
  t.accuracy = trainer.accuracy(data.dev);
  bar.advance(0, {{"dev", t.accuracy}});
  return t;
}

// The most frequent value of the training set, and its share of the dev set.
std::pair<int, double> majority(const Data& data) {
  std::array<size_t, digits> count{};
  for (const BinaryTree& tree : data.train) ++count[static_cast<size_t>(tree.value())];
  const auto most = static_cast<int>(std::ranges::max_element(count) - count.begin());
  const auto right = std::ranges::count_if(data.dev, [&](const BinaryTree& tree) { return tree.value() == most; });
  return {most, static_cast<double>(right) / static_cast<double>(data.dev.size())};
}

void print_accuracy(const Trained& t, const Trainer& trainer, const Data& data, const Settings& settings) {
  const auto [value, share] = majority(data);
  fmt::print("trained a Tree-LSTM with {} parameters on {} ListOps trees in {:.1f} s{}\n", trainer.params.count(),
             t.trees, t.seconds, interrupt_asked() ? " (interrupted)" : "");
  fmt::print("  minibatches of {}, {} thread{}, loss {:.3f}\n", minibatch, settings.threads,
             settings.threads == 1 ? "" : "s", t.loss);
  fmt::print("  dev accuracy    {:.3f}  on {} unseen expressions\n", t.accuracy, data.dev.size());
  fmt::print("  majority class  {:.3f}  when always predicting {}\n", share, value);
}

// ---- speed

// Trains a new model with one policy, in one thread, and measures its speed.
class Race {
 public:
  Race(const Settings& settings, Policy policy) : trainer_(settings, policy, 1) {}

  void step(const std::vector<BinaryTree>& trees, const Minibatch& m) {
    const auto start = Clock::now();
    trainer_.step(trees, m);
    seconds_ += since(start);
    trees_ += static_cast<double>(m.ids.size());
  }
  void forget() {  // discards the measurements
    seconds_ = trees_ = 0;
    trainer_.engine.reset_counters();
  }
  double seconds() const { return seconds_; }
  double trees_per_second() const { return trees_ / seconds_; }
  double steps() const {  // per minibatch
    return static_cast<double>(trainer_.engine.counters().steps) * minibatch / trees_;
  }

 private:
  Trainer trainer_;
  double seconds_ = 0, trees_ = 0;
};

void print_speed(const Data& data, const Settings& settings) {
  const auto epoch = train::minibatches(data.train.size(), minibatch, settings.seed, 0);
  const double seconds = std::clamp(settings.seconds / 20, 0.2, 3.0);
  Race none(settings, Policy::none), automatic(settings, Policy::automatic);
  // Alternating, so that other load on the machine affects both.
  for (size_t i = 0; i < epoch.size() && !interrupt_asked(); ++i) {
    none.step(data.train, epoch[i]);
    while (automatic.seconds() < none.seconds()) automatic.step(data.train, epoch[i]);
    if (i == 0) {  // the first minibatch allocates memory
      none.forget();
      automatic.forget();
    } else if (none.seconds() > seconds) {
      break;
    }
  }
  if (interrupt_asked()) return;
  fmt::print("\ntraining speed, one thread, minibatches of {}\n", minibatch);
  fmt::print("  policy none  {:>7.0f} trees/s {:>6.0f} steps per minibatch\n", none.trees_per_second(), none.steps());
  fmt::print("  policy auto  {:>7.0f} trees/s {:>6.0f} steps per minibatch  {:.1f} times as fast\n",
             automatic.trees_per_second(), automatic.steps(), automatic.trees_per_second() / none.trees_per_second());
}

// ---- explain

void print_explain(Trainer& trainer, const Data& data) {
  std::vector<size_t> few;
  std::vector<BinaryTree> trees;
  for (size_t i = 0; i < data.dev.size() && few.size() < 4; ++i) {
    const listops::Expression& e = data.dev_expressions[i];
    if (e.length() > 24 || e.depth() < 3) continue;  // short enough for one line, with a nested list
    few.push_back(i);
    trees.push_back(data.dev[i]);
  }
  fmt::print("\nhow a minibatch of {} is batched\n", few.size());
  const std::vector<int> answers = trainer.answers(trees);
  for (size_t i = 0; i < few.size(); ++i)
    fmt::print("  {} is {}; the model predicts {}\n", listops::to_text(data.dev_expressions[few[i]]), trees[i].value(),
               answers[i]);
  Engine engine;
  const auto batch = engine.record(trees, [&](Graph& g, const BinaryTree& t) { return trainer.model.losses(g, t); });
  fmt::print("{}", engine.explain(batch));
}

int demo(const Settings& settings) {
  catch_interrupt();
  const Data data(settings.seed);
  Trainer trainer(settings, Policy::automatic, settings.threads);
  const Trained trained = train(trainer, data, settings);
  print_accuracy(trained, trainer, data, settings);
  std::fflush(stdout);  // the next part takes seconds
  if (!interrupt_asked()) print_speed(data, settings);
  if (interrupt_asked()) fmt::print("\nspeed: not measured, interrupted\n");
  print_explain(trainer, data);
  return interrupt_asked() ? interrupted : ok;
}

constexpr const char* demo_what = "Train a small model and show how it was batched";

void add_demo_options(CLI::App& app, Command* chosen) {
  app.footer(
      "Trains a binary Tree-LSTM to evaluate generated ListOps expressions such as [MAX 2 9 [MIN 4 7 ] 0 ]. Then\n"
      "compares the training speed with and without batching, and shows the steps of a small minibatch.\n"
      "Ctrl-C ends the training and prints the results so far.");
  const auto s = std::make_shared<Settings>();
  add_number(app, "--seconds", s->seconds, 0.0, "S", "Training time in seconds [60]");
  add_number(app, "--seed", s->seed, uint64_t{0}, "N", "Random seed of data and parameters [1]");
  add_number(app, "--threads", s->threads, 1, "N", "Number of threads [2, or 1 on a single core]");
  app.add_flag("--quiet", s->quiet, "No progress on stderr");
  app.callback([=] { *chosen = [=] { return demo(*s); }; });
}

}  // namespace

void add_demo(CLI::App& program, Command* chosen) {
  add_demo_options(*program.add_subcommand("demo", demo_what), chosen);
}

int demo_program(int argc, char** argv) {
  return run_program(argc, argv, "espalier_demo", demo_what, add_demo_options);
}

}  // namespace espalier::app
