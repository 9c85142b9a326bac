// language-id: identifies the (invented) language of a text.
#include <algorithm>

#include <fmt/format.h>
#include <espalier/data/synthetic/languages.h>
#include <espalier/text/lines.h>

#include "models/language_id.h"
#include "task/classifier_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

namespace languages = data::languages;
using languages::Text;

const std::string language_line = "a text, such as kalosi";

// Reads the name of a language, a tab and a text, or a text alone.
Text read_text(const data::Lines& lines) {
  const std::string_view line = lines.line();
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return {std::string(line), 0};
  const auto name = std::ranges::find(languages::names, line.substr(0, tab));
  if (name == languages::names.end())
    lines.fail(1, fmt::format("unknown language '{}'; needed one of {}", line.substr(0, tab),
                              fmt::join(languages::names, ", ")));
  if (tab + 1 == line.size()) lines.fail(tab + 2, "the text is missing");
  return {std::string(line.substr(tab + 1)), static_cast<int>(name - languages::names.begin())};
}

// For files: the label is required.
Text read_labelled_text(const data::Lines& lines) {
  if (lines.line().find('\t') == std::string_view::npos)
    lines.fail(1, fmt::format("label is missing; needed a language, a tab and a text; languages: {}",
                              fmt::join(languages::names, ", ")));
  return read_text(lines);
}

class LanguageId : public ClassifierTask<Text> {
 public:
  LanguageId() {
    training.epochs = 5;
    training.batch = 50;
    training.lr = 0.01;
  }
  void settings(Fields& f) override {
    f.add("examples", examples_, 1, "Number of training texts");
    f.add("dim", dim_, 1, "Letter embedding size");
    f.add("hidden", hidden_, 1, "Hidden units of the LSTM");
  }
  void read() override {
    train_ = languages::generate(static_cast<size_t>(examples_), 1);
    read_dev();
  }
  void read_dev() override { dev_ = languages::generate(1000, 2); }
  void read_dev(const std::string& path) override { dev_ = line_examples<Text>(path, read_labelled_text); }
  void build(Scope p) override { model_ = models::language_id(p, {languages::count, dim_, hidden_}); }

 protected:
  Expr scores(Graph& g, const Text& text) const override { return model_(g, text.letters); }
  int class_of(const Text& text) const override { return text.language; }
  std::vector<std::string> labels() const override { return {languages::names.begin(), languages::names.end()}; }
  uint32_t size(const Text& text) const override { return static_cast<uint32_t>(text.letters.size()); }
  Text parse(const std::string& line) const override { return line_example<Text>(line, language_line, read_text); }

 private:
  int examples_ = 4000, dim_ = 16, hidden_ = 32;
  block::Block<std::string, Expr> model_;
};

}  // namespace

TaskKind language_id_kind() {
  return {.name = "language-id",
          .what = "Language identification of invented languages: LSTM over letters",
          .paper = "an example of TensorFlow Fold (Looks et al. 2017)",
          .data = "generated",
          .line = language_line,
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<LanguageId>};
}

}  // namespace espalier::app
