// espalier data: published and generated data sets.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "data/commands.h"
#include "data/folders.h"
#include "data/get.h"
#include "interrupt.h"
#include "say.h"

namespace espalier::app {
namespace {

int get(const std::vector<std::string>& names, GetOptions options) {
  std::vector<const DataSet*> sets;
  for (const std::string& name : names) sets.push_back(&data_set(name));  // before anything is downloaded
  if (!options.from.empty() && sets.size() > 1) throw Error("--from is the address of one data set; several are given");
  options.search = options.folder;
  options.folder = target_folder(options.folder);
  catch_interrupt();
  for (const DataSet* set : sets) {
    try {
      const bool is_new = get_data_set(*set, options);
      fmt::print("{}: {} {}; licence: {}; see {}\n", set->name, is_new ? "complete in" : "was already in",
                 options.folder, set->licence, set->page);
      if (!set->note.empty()) fmt::print("{}: {}\n", set->name, set->note);
    } catch (const Interrupted&) {
      say("espalier: interrupted; the same command continues the download");
      return interrupted;
    }
  }
  return ok;
}

}  // namespace

void add_data_get(CLI::App& data, Command* chosen) {
  CLI::App* app = data.add_subcommand("get", "Download published data sets");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto o = std::make_shared<GetOptions>();
  app->footer(
      "Downloads from the publishers, checks SHA-256 checksums, and unpacks. A broken download is continued by the "
      "same\n"
      "command. Checksums that are not known in advance are recorded in the file SHA256SUMS of the folder at the "
      "first\n"
      "download. Names: espalier data list.");
  app->add_option("NAME", *names, "Names of data sets")->required()->type_name("");
  app->add_option("--data", o->folder,
                  "Folder to write to [$ESPALIER_DATA, else ./data if it exists, else ~/.local/share/espalier]")
      ->type_name("DIR");
  app->add_option("--from", o->from,
                  "Take the file from this address or path, or, if the set has several sources, from this folder")
      ->type_name("URL");
  app->add_flag("--force", o->force, "Download files that are present, too, and replace them");
  app->add_flag("--unverified", o->unverified, "Accept content with another checksum, and record it");
  add_number(*app, "--timeout", o->timeout, 0.001, "SECONDS", "Give up a connection without data after this time [30]");
  add_number(*app, "--retries", o->retries, 0, "N", "Number of further attempts [4]");
  app->add_flag("--quiet", o->quiet, "No progress on stderr");
  app->callback([=] { *chosen = [=] { return get(*names, *o); }; });
}

void add_data(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("data", "Download, list and generate data sets");
  app->require_subcommand(1);
  add_data_get(*app, chosen);
  add_data_list(*app, chosen);
  add_data_make(*app, chosen);
}

}  // namespace espalier::app
