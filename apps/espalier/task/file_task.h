// FileTask: a ListedTask whose examples are in one file, or in one file per part.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "task/listed_task.h"
#include "tasks/examples/file_identity.h"
#include "tasks/examples/input_file.h"
#include "tasks/examples/split.h"

namespace espalier::app {

// Parts without a file of their own are divided off the first file: a tenth each, by the seed. With a file for one of
// dev and test, only the other one is divided off; with a dev file, there is no test part without a test file.
template <class Example>
class FileTask : public ListedTask<Example> {
 public:
  void read() override {
    if (this->folds.count > 1 && !dev_file_.empty())
      throw Error(fmt::format("--folds {} divides one file; remove --dev {}", this->folds.count, dev_file_));
    identity_.check(training_path());
    std::vector<Example> all = read_file(training_path());
    if (all.empty()) throw DataError(training_path() + ": holds no examples to train on");
    const size_t examples = all.size();
    const Split split = dev_file_.empty() ? divide(all) : whole(examples);
    this->train_ = take(all, split.train);
    this->dev_ = dev_file_.empty() ? take(all, split.dev) : read_file(path_of(dev_file_));
    test_ = test_file_.empty() ? take(all, split.test) : read_file(path_of(test_file_));
    if (!this->train_.empty()) learn();
    if (this->train_.empty() || this->dev_.empty())
      throw DataError(
          fmt::format("{}: {} examples are divided into {} for train, {} for dev and {} for test; give more "
                      "examples, or --dev FILE",
                      training_path(), examples, this->train_.size(), this->dev_.size(), test_.size()));
    prepare(this->train_);
    prepare(this->dev_);
    prepare(test_);  // an error in the test file is found before training
    test_size_ = test_.size();
    test_.clear();
  }
  void read_dev() override { read_part(Part::dev); }
  void read_dev(const std::string& path) override {
    this->dev_ = read_file(path);
    prepare(this->dev_);
  }
  void read_part(Part part) override {
    const std::string& own = part == Part::train ? file_ : part == Part::dev ? dev_file_ : test_file_;
    if (part != Part::train && !own.empty()) return read_dev(path_of(own));
    if (part == Part::test && !dev_file_.empty())
      throw Error("this run has no test part; give a file after the run, or train with --test FILE");
    identity_.check(training_path());
    std::vector<Example> all = read_file(training_path());
    this->dev_ = dev_file_.empty() ? take(all, divide(all).of(part)) : std::move(all);
    prepare(this->dev_);
  }
  void save(io::Meta& meta) const override { identity_.save(meta); }
  void restore(const io::Meta& meta) override { identity_.restore(meta); }

 protected:
  std::string file_, dev_file_, test_file_;  // paths; a relative path may be in the data folders
  std::vector<Example> test_;                // only while learn() runs

  virtual std::vector<Example> read_file(const std::string& path) = 0;
  virtual void learn() = 0;                                        // derives vocabulary, classes, … before prepare()
  virtual void prepare(std::vector<Example>& examples) const = 0;  // numbers words, encodes targets, …
  virtual Split divide(const std::vector<Example>& all) const {
    return random_split(all.size(), this->training.seed, this->folds, shares());
  }
  std::string training_path() const { return path_of(file_); }
  SplitShares shares() const { return {.dev = 0.1, .test = test_file_.empty() ? 0.1 : 0}; }
  std::string part_sizes() const {
    return fmt::format("train {}, dev {}{}", this->train_.size(), this->dev_.size(),
                       test_size_ > 0 ? fmt::format(", test {}", test_size_) : "");
  }

  // Adds --<name>, --dev, --test, --folds and --fold.
  void add_files(Fields& f, const std::string& name, const std::string& what) {
    flag_ = name;
    f.add(name, file_, {}, what);
    f.add("dev", dev_file_, {}, "File of the dev set; without it, a tenth of the examples");
    f.add("test", test_file_, {},
          "File of the test set, for eval --part test; without --dev and --test, a tenth of the examples");
    this->folds.add_to(f);
  }

 private:
  std::string path_of(const std::string& file) const {
    if (file.empty()) throw Error(fmt::format("--{} FILE is missing; it names the examples to train on", flag_));
    return input_file(this->data, file);
  }
  static Split whole(size_t n) {
    Split split;
    for (uint64_t i = 0; i < n; ++i) split.train.push_back(i);
    return split;
  }

  std::string flag_;
  size_t test_size_ = 0;
  FileIdentity identity_;
};

}  // namespace espalier::app
