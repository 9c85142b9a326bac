#include "tasks/sequences/sequences.h"

#include <algorithm>

#include <fmt/format.h>
#include <espalier/data/pack.h>
#include <espalier/data/table.h>

#include "csv.h"
#include "tasks/examples/input_file.h"
#include "tasks/metrics/spans.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"

namespace espalier::app {
namespace {

constexpr int bytes = 256;

std::vector<std::string> words_of(const data::Vocabulary& all) {
  std::vector<std::string> words;
  for (int w = 0; w < all.size(); ++w) words.push_back(all.word(w));
  return words;
}

}  // namespace

Sequences::Sequences() : TargetTask(Targets(Targets::Naming::none)) {
  training.epochs = 10;
  training.patience = 3;
  training.batch = 32;
  training.lr = 2e-3;
  training.schedule = "linear";
}

Sequences::Sequences(const TaggedPreset& preset) : Sequences() {
  file_ = preset.train;
  dev_file_ = preset.dev;
  vectors_ = preset.vectors;
  letters_ = preset.letters;
  format_name_ = name(SequenceFormat::tagged);
  word_dropout_ = 0.3;
  training.epochs = 6;
  training.patience = 0;
}

void Sequences::settings(Fields& f) {
  std::vector<std::string> formats = sequence_formats();
  formats.insert(formats.begin(), "auto");
  add_files(f, "train", "File of labelled texts or of tagged sentences");
  f.add("format", format_name_, formats,
        "csv; tsv: LABEL TAB text; fasttext: __label__LABEL text; tagged: word|tag; conll: a word per line, with its "
        "tag; auto: as the file looks");
  f.add("text", text_, {}, "CSV: column of the texts");
  f.add(
      "columns", columns_, {},
      "conll: columns of the words and of the tags, by number from 1, or in a CoNLL-U file by name, such as FORM,XPOS; "
      "without it, the first and the last, in a CoNLL-U file FORM,UPOS");
  f.add("target", target_, {}, "CSV: columns to predict, separated by commas");
  targets_.add_to(f);
  f.add("model", model_name_, {"bilstm", "bag-of-words"},
        "Texts: architecture; bag-of-words is faster, for long texts");
  f.add("max-words", max_words_, 1, "Texts: words read of each text; the rest is ignored");
  f.add("vectors", vectors_, {}, "File of word vectors, or several to try, separated by |; none: learned from scratch");
  f.add("word-lr", word_lr_, {0, 1}, "Learning rate of word embeddings if word vectors are used, as a factor of --lr");
  f.add("dim", dim_, 1, "Word embedding size; with word vectors, their size is used");
  f.add("shape-dim", shape_dim_, 1, "Tags: embedding size of the word shape: capitals, digits");
  f.add("letters", letters_, "Tags: read the bytes of every word by a convolution");
  f.add("letter-dim", letter_dim_, 1, "Tags: embedding size of a byte");
  f.add("filters", filters_, 1, "Tags: number of convolution filters");
  f.add("hidden", hidden_, 0, "Hidden units of the BiLSTM, per direction; 0: 64 for texts, 150 for tags");
  f.add("unknown", unknown_, {},
        "In training, replace a word seen n times by unknown with probability unknown / (unknown + n)");
  f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word embeddings");
  f.add("dropout", dropout_, {0, 0.99}, "Dropout on the BiLSTM's output");
}

// ---- data

std::vector<Sequence> Sequences::read_file(const std::string& path) {
  if (!format_)
    format_ = format_name_ != "auto" ? sequence_format(format_name_)
              : !text_.empty()       ? SequenceFormat::csv
                                     : detect_format(path);
  TextColumns columns{text_, {}};
  if (*format_ == SequenceFormat::csv) {
    if (text_.empty() || target_.empty())
      throw Error(fmt::format("--{} COLUMN is missing; the columns of {}: {}", text_.empty() ? "text" : "target", path,
                              fmt::join(data::Table(path).columns(), ", ")));
    columns.targets = fields_of_csv_line(target_, "--target");
    targets_.set_names(columns.targets);
  } else if (!text_.empty() || !target_.empty()) {
    throw Error(
        fmt::format("--text and --target name columns of a CSV file; {} has the format {}", path, name(*format_)));
  }
  if (*format_ == SequenceFormat::conll) {
    if (!tag_columns_) tag_columns_ = tag_columns(path, columns_);
  } else if (!columns_.empty()) {
    throw Error(fmt::format("--columns {} chooses columns of the format conll; {} has the format {}", columns_, path,
                            name(*format_)));
  }
  std::vector<Sequence> all;
  for (RawSequence& given : read_sequences(path, *format_, columns, tag_columns_.value_or(TagColumns()))) {
    Sequence& x = all.emplace_back();
    if (!has_tags(*format_)) {
      x.target = {.texts = std::move(given.labels), .place = given.place};
      targets_.check(x.target);
    }
    x.given = std::move(given);
  }
  return all;
}

void Sequences::learn() {
  data::Vocabulary met;
  words_seen_ = 0;
  for (const Sequence& x : train_) {
    for (const std::string& word : x.given.words) met.add(word);
    words_seen_ += x.given.words.size();
    if (has_tags(*format_))
      for (const std::string& tag : x.given.labels) tags_.add(tag);
  }
  add_plain_words(words_, met);
  if (vectors_ != "none") dim_ = word_vectors_.read(data, vectors_, words_);
  if (!has_tags(*format_))
    TargetTask::learn();
  else if (targets_.kind != "classification" || targets_.has_class_weights() || model_name_ != "bilstm")
    throw Error(fmt::format("--{} needs one label per text; {} has one per word",
                            targets_.kind != "classification" ? "kind " + targets_.kind
                            : targets_.has_class_weights()    ? "class-weights balanced"
                                                              : "model " + model_name_,
                            file_));
}

void Sequences::prepare(std::vector<Sequence>& examples) const {
  for (Sequence& x : examples) {
    number_words(x);
    if (!has_tags(*format_)) {
      targets_.encode(x.target);
      continue;
    }
    for (const std::string& tag : x.given.labels) x.sentence.tags.push_back(number_of(tags_, tag));
  }
}

void Sequences::number_words(Sequence& x) const {
  const std::vector<std::string> words = std::exchange(x.given.words, {});
  if (has_tags(*format_)) {
    for (const std::string& word : words) x.sentence.words.push_back(tagger_word(word));
    return;
  }
  for (const std::string& word : words)
    if (x.text.size() < static_cast<size_t>(max_words_)) x.text.push_back(number_of(words_, plain_word(word)));
  if (x.text.empty()) x.text.push_back(words_.size());  // an empty text is an unknown word
}

models::Tagger::Word Sequences::tagger_word(const std::string& word) const {
  models::Tagger::Word w{number_of(words_, plain_word(word)), word_shape(word)};
  if (letters_)
    for (const char c : word) w.letters.push_back(static_cast<unsigned char>(c));
  return w;
}

std::vector<std::string> Sequences::summary() const {
  const std::string columns = tag_columns_.value_or(TagColumns()).names();
  std::vector<std::string> lines{
      fmt::format("{}, format {}{}: {} {}", file_, name(*format_), columns.empty() ? "" : ", columns " + columns,
                  part_sizes(), has_tags(*format_) ? "sentences" : "texts"),
      fmt::format("  {} words in train; vocabulary of {}{}", words_seen_, words_.size(),
                  vectors_ == "none" ? "" : ", with the words of the vectors")};
  if (!has_tags(*format_)) {
    for (const std::string& line : targets_.summary()) lines.push_back("  " + line);
    if (const size_t classes = targets_.labels().size();
        *format_ == SequenceFormat::tsv && classes > 10 && 2 * classes > train_.size())
      lines.push_back(fmt::format("  note: {} different labels in {} texts; a line is LABEL TAB text, the label first",
                                  classes, train_.size()));
    return lines;
  }
  constexpr int most_shown = 20;
  std::string tags = fmt::format("  {} tags:", tags_.size());
  for (int t = 0; t < std::min(tags_.size(), most_shown); ++t)
    tags += fmt::format("{} {}: {}", t == 0 ? "" : ",", tags_.word(t), tags_.count(t));
  if (tags_.size() > most_shown) tags += fmt::format(", and {} more", tags_.size() - most_shown);
  lines.push_back(tags);
  return lines;
}

void Sequences::save(io::Meta& meta) const {
  TargetTask::save(meta);
  meta["words"] = data::pack(words_);
  meta["format"] = name(*format_);
  if (tag_columns_) tag_columns_->save(meta);
  if (has_tags(*format_)) meta["tags"] = data::pack(tags_);
}

void Sequences::restore(const io::Meta& meta) {
  format_ = sequence_format(meta.at("format"));
  tag_columns_ = TagColumns::restore(meta);
  TargetTask::restore(meta);
  words_ = data::unpack_vocabulary(meta.at("words"), "words");
  if (has_tags(*format_)) tags_ = data::unpack_vocabulary(meta.at("tags"), "tags");
}

PredictInput Sequences::predict_input() const {
  if (*format_ == SequenceFormat::csv) return {.csv_column = text_};
  return {.kind = *format_ == SequenceFormat::conll ? PredictInput::Kind::blocks : PredictInput::Kind::lines};
}

Sequence Sequences::parse(const std::string& line) const {
  Sequence x;
  x.given = parse_sequence(line, *format_, has_tags(*format_) ? words_of(tags_) : targets_.labels(),
                           tag_columns_.value_or(TagColumns()));
  number_words(x);
  return x;
}

// ---- model

void Sequences::build(Scope p) {
  const auto dropout = static_cast<float>(dropout_), word_dropout = static_cast<float>(word_dropout_);
  if (!has_tags(*format_)) {
    classifier_.emplace(p, models::TextClassifier::Options{.bag_of_words = model_name_ == "bag-of-words",
                                                           .words = words_.size() + 1,
                                                           .outputs = targets_.row_size(),
                                                           .dim = dim_,
                                                           .hidden = hidden(),
                                                           .word_dropout = word_dropout,
                                                           .dropout = dropout,
                                                           .rare = rare_words(words_, unknown_)});
    return;
  }
  tagger_.emplace(p, models::Tagger::Options{.words = words_.size() + 1,
                                             .shapes = word_shapes,
                                             .letters = letters_ ? bytes : 0,
                                             .tags = tags_.size(),
                                             .dim = dim_,
                                             .shape_dim = shape_dim_,
                                             .letter_dim = letter_dim_,
                                             .filters = filters_,
                                             .hidden = hidden(),
                                             .word_dropout = word_dropout,
                                             .dropout = dropout,
                                             .rare = rare_words(words_, unknown_)});
}

void Sequences::initialise() { word_vectors_.fill(tagger_ ? tagger_->words : classifier_->words, words_); }

void Sequences::tune(optim::Optimizer& optimizer) {
  if (vectors_ != "none") optimizer.group("words", static_cast<float>(word_lr_));
}

int Sequences::hidden() const { return hidden_ > 0 ? hidden_ : has_tags(*format_) ? 150 : 64; }

uint32_t Sequences::size(const Sequence& x) const {
  return static_cast<uint32_t>(std::max(x.text.size(), x.sentence.words.size()));
}

// ---- training and evaluation

std::vector<Expr> Sequences::losses(Graph& g, const Sequence& x) const {
  return tagger_ ? tagger_->losses(g, x.sentence) : TargetTask::losses(g, x);
}

std::optional<Metric> Sequences::metric() const {
  if (!has_tags(*format_)) return TargetTask::metric();
  const std::string& choice = targets_.metric_choice();
  if (choice == "f1") return Metric{"F1", true};
  if (choice != "auto" && choice != "accuracy")
    throw Error(fmt::format("--metric {} does not fit tags; must be accuracy or f1", choice));
  return Metric{"accuracy", true};
}

template <class Each>
void Sequences::tag_all(Engine& engine, std::span<const Sequence> sequences, Each each) const {
  infer(
      engine, sequences, [&](Graph& g, const Sequence& x) { return tagger_->all_scores(g, x.sentence); },
      [&](const Sequence& x, const std::vector<Tensor>& scores) { each(x, tagger_->chain.best(scores)); });
}

std::vector<std::string> Sequences::tag_names(const std::vector<int>& tags) const {
  std::vector<std::string> names;
  for (const int t : tags) names.push_back(tags_.word(t));
  return names;
}

// F1 is that of spans of IOB tags.
Evaluation Sequences::evaluate(Engine& engine) {
  if (!tagger_) return TargetTask::evaluate(engine);
  Confusion confusion(static_cast<size_t>(tags_.size()));
  train::Mean right;
  SpanScore spans;
  tag_all(engine, dev_, [&](const Sequence& x, const std::vector<int>& found) {
    const std::vector<int>& gold = x.sentence.tags;
    for (size_t i = 0; i < found.size(); ++i) {
      right.add(found[i] == gold[i]);
      if (gold[i] < tags_.size()) confusion.add(gold[i], found[i]);  // a tag that train lacks is never predicted
    }
    spans.add(x.given.labels, tag_names(found));
  });
  Evaluation e{{{"accuracy", right.get()}}, words_of(tags_), confusion.counts()};
  if (spans.has_any()) e.scores.emplace_back("F1", spans.f1());
  if (metric()->name == "F1") {
    if (!spans.has_any()) throw DataError("--metric f1 needs IOB tags such as B-PER, I-PER and O; there are none");
    std::swap(e.scores[0], e.scores[1]);
  }
  return e;
}

std::vector<Json> Sequences::answer(Engine& engine, std::span<const Sequence> sequences) {
  if (!tagger_) return TargetTask::answer(engine, sequences);
  std::vector<Json> found;
  tag_all(engine, sequences,
          [&](const Sequence&, const std::vector<int>& tags) { found.push_back({{"tags", tag_names(tags)}}); });
  return found;
}

}  // namespace espalier::app
