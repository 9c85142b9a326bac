// The table of data sets. Checksums were measured on copies of the files; no address has been tried yet
// (Source::tried).
#include "data/data_set.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "base/nearest_names.h"
#include "data/convert.h"

namespace espalier::app {
namespace {

const std::string ewt_train = "ud_english_ewt/en_ewt-ud-train.conllu";
const std::string moleculenet = "moleculenet.org";

// A table of MoleculeNet; `published` is its file name there.
DataSet molecules_set(std::string name, std::string what, const std::string& published, std::string sha256 = {},
                      uint64_t bytes = 0) {
  const std::string file = published.ends_with(".gz") ? published.substr(0, published.size() - 3) : published;
  return {.name = std::move(name),
          .what = std::move(what) + ", with SMILES",
          .licence = "none stated for the table (DeepChem, which publishes it: MIT)",
          .page = moleculenet,
          .download_bytes = bytes,
          .sources = {{published, "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/" + published}},
          .files = {{.path = "molecules/" + file, .source = published, .sha256 = std::move(sha256)}}};
}

DataSet for_task(DataSet set) {
  set.tasks = {set.name};
  return set;
}

DataSet sst_set() {
  const std::string zip = "trainDevTestTrees_PTB.zip";
  return {.name = "sst",
          .what = "Stanford Sentiment Treebank: 11,855 parse trees with a label at every node",
          .licence = "none stated",
          .page = "nlp.stanford.edu/sentiment",
          .tasks = {"sentiment"},
          .sources = {{zip, "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip"}},
          .files = {{.path = "sst/train.txt",
                     .source = zip,
                     .member = "trees/train.txt",
                     .sha256 = "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7"},
                    {.path = "sst/dev.txt",
                     .source = zip,
                     .member = "trees/dev.txt",
                     .sha256 = "0e9336aed6e4730e19f58d00a77b3f0297efdb755f7b5e598c98a05e3f97ea40"},
                    {.path = "sst/test.txt", .source = zip, .member = "trees/test.txt"}}};
}

DataSet sick_set() {
  const std::string folder = "https://alt.qcri.org/semeval2014/task1/data/uploads/";
  DataSet set{.name = "sick",
              .what = "SICK: 9,927 pairs of sentences with a relatedness score from 1 to 5",
              .licence = "CC BY-NC-SA 3.0",
              .page = "alt.qcri.org/semeval2014/task1",
              .download_bytes = 197'230,
              .tasks = {"relatedness"},
              .note =
                  "the task reads parsed sentences, the folders sick/train and sick/dev, which nobody publishes; "
                  "the scripts of github.com/stanfordnlp/treelstm make them from these files (docs/data.md)"};
  for (const std::string part : {"train", "trial", "test_annotated"}) {
    const std::string zip = "sick_" + part + ".zip", text = "SICK_" + part + ".txt";
    set.sources.push_back({zip, folder + zip});
    set.files.push_back({.path = "sick/" + text, .source = zip, .member = text});
  }
  for (const std::string part : {"train", "dev"})
    for (const std::string file : {"a.toks", "a.parents", "b.toks", "b.parents", "sim.txt"})
      set.files.push_back({.path = "sick/" + part + "/" + file});
  return set;
}

DataSet ewt_set() {
  const std::string folder = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/master/";
  DataSet set{.name = "ewt",
              .what = "Universal Dependencies English EWT: 16,622 sentences with dependency trees",
              .licence = "CC BY-SA 4.0",
              .page = "github.com/UniversalDependencies/UD_English-EWT",
              .tasks = {"parser"},
              .note = "the newest release; each release corrects some trees"};
  for (const std::string part : {"train", "dev", "test"}) {
    const std::string file = "en_ewt-ud-" + part + ".conllu";
    set.sources.push_back({file, folder + file});
    set.files.push_back({.path = "ud_english_ewt/" + file, .source = file, .may_differ = true});
  }
  set.files[0].sha256 = "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b";
  set.files[1].sha256 = "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6";
  return set;
}

DataSet text_set() {
  return {.name = "text",
          .what = "The words of the training sentences of ewt, one sentence per line",
          .licence = "CC BY-SA 4.0",
          .page = "github.com/UniversalDependencies/UD_English-EWT",
          .tasks = {"lm"},
          .files = {{.path = "text/train.txt",
                     .made_from = ewt_train,
                     .convert = words_of_conllu,
                     .sha256 = "a60c393259789949542dbe8bf7460e9d907b100e334f7151fe198a75a3a4e32b",
                     .may_differ = true}},
          .note = "made from ewt, which is downloaded first if it is missing"};
}

DataSet wikiner_set() {
  const std::string wikiner = "aij-wikiner-en-wp3.bz2", wikigold = "wikigold.conll.txt";
  return {.name = "wikiner",
          .what = "Named entities: the first 10,000 sentences of WikiNER, and the 1,696 of WikiGold as dev set",
          .licence = "CC BY 3.0 (WikiNER); CC BY 4.0 (WikiGold)",
          .page = "doi.org/10.6084/m9.figshare.5462500",
          .tasks = {"tagger", "tagger-char"},
          .sources = {{wikiner, "https://raw.githubusercontent.com/dice-group/FOX/master/input/Wikiner/" + wikiner},
                      {wikigold, "https://figshare.com/ndownloader/files/9446377"}},
          .files = {{.path = "wikiner/train.txt",
                     .source = wikiner,
                     .convert = tags_of_wikiner,
                     .sha256 = "16b42ac4ce1a32f3a67580f20106765645ea051cc47f0ab8e2ecdbddf114ca98",
                     .may_differ = true},
                    {.path = "wikiner/dev.txt",
                     .source = wikigold,
                     .convert = tags_of_conll,
                     .sha256 = "bbbf63da9cc22d347c1c1d72ef35b5fde2fa3ece9c2c048b16dc4285e763e553",
                     .may_differ = true}},
          .note = "WikiNER comes from a mirror, github.com/dice-group/FOX"};
}

DataSet glove_set() {
  return {.name = "glove",
          .what = "GloVe: vectors of 400,000 words with 300 elements, from 6 billion tokens",
          .licence = "PDDL 1.0",
          .page = "nlp.stanford.edu/projects/glove",
          .download_bytes = 862'182'613,
          .tasks = {"sentiment", "relatedness", "tagger", "tagger-char"},
          .sources = {{"glove.6B.zip", "https://nlp.stanford.edu/data/glove.6B.zip"}},
          .files = {{.path = "glove/glove.6B.300d.txt",
                     .source = "glove.6B.zip",
                     .member = "glove.6B.300d.txt",
                     .instead = "glove/glove.6B.300d.sst.txt"}}};
}

DataSet listops_set() {
  const std::string folder =
      "https://raw.githubusercontent.com/nyu-mll/spinn/listops-release/python/spinn/data/listops/";
  return {.name = "listops",
          .what = "ListOps: 100,000 nested lists of digits and their values",
          .licence = "MIT",
          .page = "github.com/nyu-mll/spinn",
          .tasks = {"listops"},
          .sources = {{"train_d20s.tsv", folder + "train_d20s.tsv"}, {"test_d20s.tsv", folder + "test_d20s.tsv"}},
          .files = {{.path = "listops/train_d20s.tsv",
                     .source = "train_d20s.tsv",
                     .instead = "listops/train_d20s_regenerated.tsv"},
                    {.path = "listops/test_d20s.tsv", .source = "test_d20s.tsv"}}};
}

DataSet arithmetic_set() {
  const std::string file = "simple7_100k.tsv";
  return {.name = "arithmetic",
          .what = "100,000 sums and differences and their values",
          .licence = "MIT",
          .page = "github.com/nyu-mll/spinn",
          .download_bytes = 3'653'881,
          .tasks = {"arithmetic"},
          .sources = {{file,
                       "https://raw.githubusercontent.com/nyu-mll/spinn/master/python/spinn/data/arithmetic/" + file}},
          .files = {{.path = "arithmetic/" + file,
                     .source = file,
                     .sha256 = "6d1662727619f16e1abc9dfe9c6f1fd65db13c13bf4e5d71a595fe3f343d04ad"}}};
}

DataSet logic_set() {
  constexpr const char* sums[] = {"6b7679d24a5121e747bbb6e1606c33773ef2803d2f1e3e5961f396bfe6d5ead1",
                                  "b18140de23966481c20d6d4cac1f014322f760d6f891f643ff4beca48df1d347",
                                  "b08cfe4e89fa941d053b7ba229f3743d25d0a73235c628bf45da645336ecc22a",
                                  "ab0dd5694b97815ed29d2be7016790ba78b5173b68df5702ed4d0f9cad087041",
                                  "ca53b91edcb966330ca6a4241ca313932f3dd897ce7af18b2446e6c551bb63fc",
                                  "8c6db46c7527aea7f685400075c2cebad2a36acb4904371c052827f3769baa00",
                                  "ab507a99dcd2f7a2c4a3c81fbdbf0e55e1169d48f1be177ee8278778f34cf141",
                                  "939a58dfb0ca552eedf479c4db414e115da88d9a5e665cf101a35dfa735d1d51",
                                  "469f3e45b28a63ddc48f687d9b8a6813f431f8cd38366c90facf8ea6e677dc34",
                                  "b65a324de9862d74de4165696b5570342f5e323eb95ceccb679959a71978d769",
                                  "dd50e0c545773f84767c4ecde1a4d331217e7a8cc2ecfb487a80525d05b73e1a",
                                  "18012480bb981a6d03cb3225b0e5761b84df9e4e2a659b5fdf911e0d0b35993e",
                                  "cfeced4bcf2c4364fec121b1c97cbd59a535a377d6123bd280400d627da9ec4c"};
  DataSet set{.name = "logic",
              .what = "211,702 pairs of propositional formulas and their relations, one file per length",
              .licence = "MIT",
              .page = "github.com/yikangshen/Ordered-Memory",
              .download_bytes = 17'675'719,
              .tasks = {"entailment"}};
  for (size_t length = 0; length < std::size(sums); ++length) {
    const std::string file = fmt::format("train{}", length);
    set.sources.push_back(
        {file, "https://raw.githubusercontent.com/yikangshen/Ordered-Memory/master/data/propositional_logic/" + file});
    set.files.push_back({.path = "propositional_logic/" + file, .source = file, .sha256 = sums[length]});
  }
  return set;
}

DataSet mutagenesis_set() {
  const std::string file = "mutagenesis.json";
  return {.name = "mutagenesis",
          .what = "188 molecules as nested JSON records",
          .licence = "MIT",
          .page = "github.com/CTUAvastLab/JsonGrinder.jl",
          .download_bytes = 2'056'374,
          .tasks = {"mutagenesis"},
          .sources = {{file,
                       "https://raw.githubusercontent.com/CTUAvastLab/JsonGrinder.jl/"
                       "81c4d79412256fd3811bad7baf17f7fe60ac60cf/docs/src/examples/mutagenesis/" +
                           file}},
          .files = {{.path = "json_mutagenesis/" + file,
                     .source = file,
                     .sha256 = "a84bf8526411d4db31cbaf04e346ee4672fcac342ca7c37e82ae54d3628a7aeb"}}};
}

std::string without_gz(std::string_view path) {
  return std::string(path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path);
}

}  // namespace

const std::vector<DataSet>& data_sets() {
  static const std::vector<DataSet> all{
      sst_set(),
      sick_set(),
      ewt_set(),
      text_set(),
      wikiner_set(),
      glove_set(),
      listops_set(),
      arithmetic_set(),
      logic_set(),
      mutagenesis_set(),
      for_task(molecules_set("esol", "Solubility of 1,128 molecules in water", "delaney-processed.csv",
                             "8c06a76f0c6487d29ab0f903e6a7a7139f189ab3c1178f159c8be8964602f189", 96'699)),
      for_task(molecules_set("lipophilicity", "Octanol/water distribution coefficient of 4,200 molecules",
                             "Lipophilicity.csv", "aed41590cb30609d51d8e08ad3ff06495a76e80e211358801f596b10da69bacd",
                             282'606)),
      for_task(molecules_set("bbbp", "Blood-brain barrier penetration of 2,050 molecules", "BBBP.csv")),
      for_task(molecules_set("tox21", "Twelve kinds of toxicity of 7,831 molecules", "tox21.csv.gz",
                             "7d7e7facd853a63e79ddce4e9c3fcb7a0d83a1c300b603031c0f2c64fbe77761")),
      for_task(molecules_set("bace", "Inhibition of human beta-secretase 1 by molecules", "bace.csv")),
      for_task(molecules_set("hiv", "Inhibition of HIV replication by molecules", "HIV.csv")),
      for_task(molecules_set("sider", "Side effects of drugs", "sider.csv.gz")),
      for_task(molecules_set("clintox",
                             "Drugs that were approved, and drugs that failed in clinical trials for toxicity",
                             "clintox.csv.gz")),
      for_task(molecules_set("freesolv", "Hydration free energy of molecules", "SAMPL.csv")),
  };
  return all;
}

const DataSet& data_set(std::string_view name) {
  std::vector<std::string> names;
  for (const DataSet& set : data_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  throw Error(fmt::format("there is no data set '{}'; the nearest of {}: {}; 'espalier data list' lists all", name,
                          names.size(), nearest_names(name, names)));
}

const DataSet* data_set_of(std::string_view path) {
  const std::string plain = without_gz(path);
  const auto is_there = [&](const DataFile& file) {
    return file.path == plain || file.instead == plain || file.path.starts_with(plain + "/");
  };
  for (const DataSet& set : data_sets())
    if (std::ranges::any_of(set.files, is_there)) return &set;
  return nullptr;
}

const Source& DataSet::source(const std::string& wanted) const {
  return *std::ranges::find(sources, wanted, &Source::name);
}

}  // namespace espalier::app
