// FileTask: a ListedTask whose examples are in one file, or in one file per part.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "task/listed_task.h"
#include "tasks/examples/input_file.h"
#include "tasks/examples/split.h"

namespace espalier::app {

// Parts without a file of their own are divided off the first file: a tenth each, by the seed. With a file for one of
// dev and test, only the other one is divided off; with a dev file, there is no test part without a test file.
template <class Example>
class FileTask : public ListedTask<Example> {
 public:
  void read() override {
    std::vector<Example> all = read_file(path_of(file_));
    if (dev_file_.empty()) {
      const Split split = divide(all);
      this->dev_ = take(all, split.dev);
      this->train_ = take(all, split.train);
    } else {
      if (this->folds.count > 1)
        throw Error(fmt::format("--folds {} divides one file; remove --dev {}", this->folds.count, dev_file_));
      this->train_ = std::move(all);
      this->dev_ = read_file(path_of(dev_file_));
    }
    if (this->train_.empty()) throw DataError(fmt::format("{}: holds no examples to train on", training_path()));
    learn();
    prepare(this->train_);
    prepare(this->dev_);
  }
  void read_dev() override { read_part(Part::dev); }
  void read_dev(const std::string& path) override {
    this->dev_ = read_file(path);
    prepare(this->dev_);
  }
  void read_part(Part part) override {
    const std::string& own = part == Part::train ? file_ : part == Part::dev ? dev_file_ : test_file_;
    if (part != Part::train && !own.empty()) {
      this->dev_ = read_file(path_of(own));
    } else {
      if (part == Part::test && !dev_file_.empty())
        throw Error("this run has no test part; give a file after the run, or train with --test FILE");
      std::vector<Example> all = read_file(path_of(file_));
      this->dev_ = dev_file_.empty() ? take(all, divide(all).of(part)) : std::move(all);
    }
    prepare(this->dev_);
  }

 protected:
  std::string file_, dev_file_, test_file_;  // paths; a relative path may be in the data folder

  virtual std::vector<Example> read_file(const std::string& path) = 0;
  virtual void learn() = 0;  // derives vocabulary, classes, … from train_, before prepare()
  virtual void prepare(std::vector<Example>& examples) const = 0;  // numbers words, encodes targets, …
  virtual Split divide(const std::vector<Example>& all) const {
    return random_split(all.size(), this->training.seed, this->folds, shares());
  }
  std::string training_path() const { return path_of(file_); }
  SplitShares shares() const { return {.dev = 0.1, .test = test_file_.empty() ? 0.1 : 0}; }

  // Adds --<name>, --dev, --test, --folds and --fold.
  void add_files(Fields& f, const std::string& name, const std::string& what) {
    flag_ = name;
    f.add(name, file_, {}, what);
    f.add("dev", dev_file_, {}, "File of the dev set; without it, a tenth of the examples");
    f.add("test", test_file_, {},
          "File of the test set, for eval --part test; without --dev and --test, a tenth of the "
          "examples");
    this->folds.add_to(f);
  }

 private:
  std::string path_of(const std::string& file) const {
    if (file.empty()) throw Error(fmt::format("--{} FILE is missing; it names the examples to train on", flag_));
    return input_file(this->data, file);
  }

  std::string flag_;
};

}  // namespace espalier::app
