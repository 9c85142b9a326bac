// esol, lipophilicity, …: presets of `molecules` for the data sets of MoleculeNet (Wu et al. 2018).
#include <fmt/format.h>

#include "tasks/kinds.h"
#include "tasks/molecules/molecules.h"

namespace espalier::app {
namespace {

TaskKind preset_kind(std::string name, std::string what, std::string published, const Molecules::Preset& preset) {
  TaskKind kind = molecules_kind();
  const bool is_regression = preset.kind == "regression";
  kind.name = std::move(name);
  kind.what = std::move(what) + ": graph convolution or Weave";
  kind.data = preset.file;
  kind.metric = is_regression ? "rmse" : "auc";
  kind.higher_is_better = !is_regression;
  kind.published = std::move(published);
  kind.preset_of = "molecules";
  kind.make = [preset] { return std::make_unique<Molecules>(preset); };
  return kind;
}

}  // namespace

TaskKind esol_kind() {
  return preset_kind("esol", "Solubility of molecules in water", "0.885 (graph convolution, MoleculeNet)",
                     {.file = "molecules/delaney-processed.csv",
                      .targets = {"measured log solubility in mols per litre"},
                      .kind = "regression",
                      .unit = "log mol/l",
                      .epochs = 30});
}
TaskKind freesolv_kind() {
  return preset_kind(
      "freesolv", "Free energy of hydration of molecules", "1.40 (graph convolution, MoleculeNet)",
      {.file = "molecules/SAMPL.csv", .targets = {"expt"}, .kind = "regression", .unit = "kcal/mol", .epochs = 50});
}
TaskKind lipophilicity_kind() {
  return preset_kind("lipophilicity", "Octanol/water distribution coefficient of molecules",
                     "0.781 (graph convolution, MoleculeNet)",
                     {.file = "molecules/Lipophilicity.csv",
                      .targets = {"exp"},
                      .kind = "regression",
                      .unit = "log D at pH 7.4",
                      .epochs = 20});
}
TaskKind bbbp_kind() {
  return preset_kind("bbbp", "Blood-brain barrier penetration of molecules",
                     "0.676 (graph convolution, MoleculeNet, split by scaffold)",
                     {.file = "molecules/BBBP.csv", .targets = {"BBBP"}, .other_columns = {"p_np"}, .epochs = 15});
}
TaskKind bace_kind() {
  return preset_kind(
      "bace", "Inhibitors of human β-secretase 1", "0.854 (graph convolution, MoleculeNet, split by scaffold)",
      {.file = "molecules/bace.csv", .smiles = "mol", .targets = {"Class"}, .split = "scaffold", .epochs = 20});
}
TaskKind hiv_kind() {
  return preset_kind("hiv", "Inhibitors of the replication of HIV",
                     "0.792 (graph convolution, MoleculeNet, split by scaffold)",
                     {.file = "molecules/HIV.csv", .targets = {"HIV_active"}, .split = "scaffold", .epochs = 8});
}
TaskKind clintox_kind() {
  return preset_kind("clintox", "Drugs approved by the FDA, and drugs that failed trials for toxicity",
                     "0.845 (graph convolution, MoleculeNet)",
                     {.file = "molecules/clintox.csv", .targets = {"FDA_APPROVED", "CT_TOX"}, .epochs = 20});
}
TaskKind tox21_kind() {
  return preset_kind("tox21", "Twelve kinds of toxicity of molecules", "0.829 (graph convolution, MoleculeNet)",
                     {.file = "molecules/tox21.csv",
                      .targets = {"NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma",
                                  "SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"},
                      .epochs = 8});
}
TaskKind sider_kind() {
  return preset_kind("sider", "Side effects of drugs on 27 organ classes", "0.638 (graph convolution, MoleculeNet)",
                     {.file = "molecules/sider.csv",
                      .targets = {"Hepatobiliary disorders",
                                  "Metabolism and nutrition disorders",
                                  "Product issues",
                                  "Eye disorders",
                                  "Investigations",
                                  "Musculoskeletal and connective tissue disorders",
                                  "Gastrointestinal disorders",
                                  "Social circumstances",
                                  "Immune system disorders",
                                  "Reproductive system and breast disorders",
                                  "Neoplasms benign, malignant and unspecified (incl cysts and polyps)",
                                  "General disorders and administration site conditions",
                                  "Endocrine disorders",
                                  "Surgical and medical procedures",
                                  "Vascular disorders",
                                  "Blood and lymphatic system disorders",
                                  "Skin and subcutaneous tissue disorders",
                                  "Congenital, familial and genetic disorders",
                                  "Infections and infestations",
                                  "Respiratory, thoracic and mediastinal disorders",
                                  "Psychiatric disorders",
                                  "Renal and urinary disorders",
                                  "Pregnancy, puerperium and perinatal conditions",
                                  "Ear and labyrinth disorders",
                                  "Cardiac disorders",
                                  "Nervous system disorders",
                                  "Injury, poisoning and procedural complications"},
                      .epochs = 15});
}

}  // namespace espalier::app
