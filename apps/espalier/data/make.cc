// espalier data make: generates examples in the file formats of the data readers.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <espalier/base/error.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/listops.h>
#include <espalier/data/logic.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/synthetic/digit_images.h>
#include <espalier/data/synthetic/fizz_buzz.h>
#include <espalier/data/synthetic/languages.h>
#include <espalier/data/synthetic/marked.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>
#include <espalier/data/vocabulary.h>

#include "data/commands.h"

namespace espalier::app {
namespace {

struct DataOptions {
  size_t count = 1000;
  uint64_t seed = 1;
  std::string file;  // empty: stdout
  // The rest applies to some kinds only.
  int max_depth = 20, max_args = 5, max_operators = 0;
  size_t max_tokens = 0;
  data::marked::Lengths lengths{};
  int leaves = 16, leaf_kinds = 10;
};

// ---- one line per example

using Lines = std::vector<std::string>;

Lines listops_lines(const DataOptions& o) {
  namespace listops = data::listops;
  Lines lines;
  for (const auto& e : listops::generate(o.count, o.seed, {o.max_depth, o.max_args, o.max_tokens}))
    lines.push_back(fmt::format("{}\t{}", e.value(), listops::to_text(e, listops::Form::binarised)));
  return lines;
}

Lines arithmetic_lines(const DataOptions& o) {
  namespace arithmetic = data::arithmetic;
  arithmetic::Options options;
  if (o.max_operators > 0) options.max_operators = o.max_operators;
  Lines lines;
  for (const auto& e : arithmetic::generate(o.count, o.seed, options))
    lines.push_back(fmt::format("{}\t{}", e.value(), arithmetic::to_text(e)));
  return lines;
}

Lines calculator_lines(const DataOptions& o) {
  namespace arithmetic = data::arithmetic;
  arithmetic::Options options = arithmetic::calculator;
  if (o.max_operators > 0) options.max_operators = o.max_operators;
  Lines lines;
  for (const auto& e : arithmetic::generate(o.count, o.seed, options))
    lines.push_back(arithmetic::to_text(e, arithmetic::Form::infix));
  return lines;
}

Lines entailment_lines(const DataOptions& o) {
  namespace logic = data::logic;
  logic::Options options;
  if (o.max_operators > 0) options.max_operators = o.max_operators;
  Lines lines;
  for (const auto& pair : logic::generate(o.count, o.seed, options))
    lines.push_back(fmt::format("{}\t{}\t{}", logic::relation_names[static_cast<size_t>(pair.relation)],
                                logic::to_text(pair.left), logic::to_text(pair.right)));
  return lines;
}

Lines language_lines(const DataOptions& o) {
  Lines lines;
  for (const auto& text : data::languages::generate(o.count, o.seed))
    lines.push_back(fmt::format("{}\t{}", data::languages::names[static_cast<size_t>(text.language)], text.letters));
  return lines;
}

Lines fizz_buzz_lines(const DataOptions& o) {
  Lines lines;
  for (const auto& number : data::fizz_buzz::generate(o.count, o.seed)) lines.push_back(std::to_string(number.number));
  return lines;
}

Lines image_lines(const DataOptions& o) {
  Lines lines;
  for (const auto& image : data::digit_images::generate(o.count, o.seed))
    lines.push_back(fmt::format("{}\t{:.3g}", image.digit, fmt::join(image.pixels, " ")));
  return lines;
}

template <data::marked::Problem problem>
Lines marked_lines(const DataOptions& o) {
  Lines lines;
  for (uint64_t i = 0; i < o.count; ++i) {
    std::string& line = lines.emplace_back();
    for (const auto& step : data::marked::draw(problem, o.seed, i, o.lengths).steps)
      line += fmt::format("{}{}{}", line.empty() ? "" : " ", step.number, step.mark == 1 ? "*" : "");
  }
  return lines;
}

// In the bracket format of treebanks; all nodes have the same label.
Lines tree_lines(const DataOptions& o) {
  Lines lines;
  for (const auto& tree : data::binary_tree::generate(o.count, o.seed, o.leaves, o.leaf_kinds)) {
    std::vector<std::string> texts;  // per node; each is used once, by its parent
    for (const auto& n : tree.nodes)
      texts.push_back(
          n.is_leaf() ? fmt::format("(X {})", n.leaf)
                      : fmt::format("(X {} {})", std::exchange(texts[n.left], {}), std::exchange(texts[n.right], {})));
    lines.push_back(std::move(texts.back()));
  }
  return lines;
}

// Words are numbered: w17.
Lines sentiment_lines(const DataOptions& o) {
  Lines lines;
  for (const auto& tree : data::sentiment::generate(o.count, o.seed)) {
    std::vector<std::string> texts;  // per node; each is used once, by its parent
    for (const auto& n : tree.nodes)
      texts.push_back(n.is_leaf() ? fmt::format("({} w{})", n.label, n.word)
                                  : fmt::format("({} {} {})", n.label, std::exchange(texts[n.left], {}),
                                                std::exchange(texts[n.right], {})));
    lines.push_back(std::move(texts.back()));
  }
  return lines;
}

Lines tagged_lines(const DataOptions& o) {
  data::Vocabulary words, tags;
  Lines lines;
  for (const auto& sentence : data::tagged::generate(o.count, o.seed, words, tags)) {
    std::string& line = lines.emplace_back();
    for (const auto& token : sentence)
      line += fmt::format("{}{}|{}", line.empty() ? "" : " ", words.word(token.word), tags.word(token.tag));
  }
  return lines;
}

Lines text_lines(const DataOptions& o) {
  data::Vocabulary words;
  Lines lines;
  for (const auto& sentence : data::text::generate(o.count, o.seed, words)) {
    std::string& line = lines.emplace_back();
    for (const int word : sentence) line += (line.empty() ? "" : " ") + words.word(word);
  }
  return lines;
}

// ---- the command

struct Kind {
  const char *name, *what;
  Lines (*lines)(const DataOptions&);
};
constexpr Kind kinds[] = {
    {"listops", "Nested lists of digits and their values: 9 TAB ( ( ( [MAX 2 ) 9 ) ] )", listops_lines},
    {"arithmetic", "Sums and differences and their values: -1 TAB ( - ( 7 8 ) )", arithmetic_lines},
    {"entailment", "Pairs of formulas and their relations: < TAB ( a ( and b ) ) TAB a", entailment_lines},
    {"calculator", "Expressions of digits: 3 * (2 - 7)", calculator_lines},
    {"language-id", "Texts of invented languages: Kalosi TAB kalosi", language_lines},
    {"fizz-buzz", "Numbers: 115", fizz_buzz_lines},
    {"images", "Digits and their 28 × 28 pixels: 7 TAB 0 0.02 …", image_lines},
    {"addition", "Long sequences of numbers, two of them marked: 0.31 -0.5* 0.2 0.77* 0",
     marked_lines<data::marked::Problem::addition>},
    {"multiplication", "As addition, with numbers from 0 to 1", marked_lines<data::marked::Problem::multiplication>},
    {"trees", "Random binary trees in treebank format: (X (X (X 3) (X 1)) (X 2))", tree_lines},
    {"sentiment", "Random trees as large as those of the Stanford Sentiment Treebank", sentiment_lines},
    {"tagged", "Random tagged sentences as long as those of WikiNER", tagged_lines},
    {"text", "Random sentences as long as those of the English Web Treebank", text_lines},
};

int write(const DataOptions& o, Lines (*lines)(const DataOptions&)) {
  const Lines all = lines(o);
  const auto put = [&](std::FILE* file) {
    for (const std::string& line : all) {
      std::fwrite(line.data(), 1, line.size(), file);
      std::fputc('\n', file);
    }
  };
  if (o.file.empty()) {
    put(stdout);  // run_program() checks for write errors
    return ok;
  }
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(o.file.c_str(), "wb"), close);
  if (file) put(file.get());
  if (!file || std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0)
    throw DataError(fmt::format("{}: cannot be written", o.file));
  return ok;
}

}  // namespace

void add_data_make(CLI::App& data, Command* chosen) {
  CLI::App* app = data.add_subcommand("make", "Generate examples in the file formats of the tasks");
  app->footer("One example per line. The same seed gives the same examples on every machine. Formats: docs/data.md.");
  app->require_subcommand(1);
  for (const Kind& kind : kinds) {
    CLI::App* sub = app->add_subcommand(kind.name, kind.what);
    const auto o = std::make_shared<DataOptions>();
    const std::string name = kind.name;
    add_number(*sub, "--count", o->count, size_t{1}, "N", "Number of examples [1000]");
    add_number(*sub, "--seed", o->seed, uint64_t{0}, "N", "Random seed [1]");
    sub->add_option("-o,--output", o->file, "Output file [stdout]")->type_name("FILE");
    if (name == "listops") {
      add_number(*sub, "--max-depth", o->max_depth, 2, "N", "Maximum depth, counting digits as a level [20]");
      add_number(*sub, "--max-args", o->max_args, 2, "N", "Maximum number of arguments per list [5]");
      add_number(*sub, "--max-tokens", o->max_tokens, size_t{0}, "N",
                 "Maximum number of tokens per expression; 0: no limit [0]");
    }
    if (name == "addition" || name == "multiplication") {
      add_number(*sub, "--shortest", o->lengths.shortest, size_t{4}, "N", "Length of the shortest sequence [50]");
      add_number(*sub, "--longest", o->lengths.longest, size_t{4}, "N", "Length of the longest sequence [1000]");
    }
    if (name == "trees") {
      add_number(*sub, "--leaves", o->leaves, 1, "N", "Leaves per tree [16]");
      add_number(*sub, "--kinds", o->leaf_kinds, 1, "N", "Number of different leaves [10]");
    }
    if (name == "arithmetic" || name == "calculator" || name == "entailment")
      add_number(*sub, "--max-operators", o->max_operators, 1, "N",
                 name == "arithmetic"   ? "Maximum number of operators per expression [3]"
                 : name == "calculator" ? "Maximum number of operators per expression [5]"
                                        : "Maximum number of operators per formula [6]");
    sub->callback([=, lines = kind.lines] { *chosen = [=] { return write(*o, lines); }; });
  }
}

}  // namespace espalier::app
