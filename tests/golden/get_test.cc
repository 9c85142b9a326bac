// espalier data get: downloads, broken and wrong answers, checksums, archives. A server in this process answers.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/archives.h"
#include "golden/http_server.h"
#include "golden/program.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

namespace fs = std::filesystem;

// 10,000 bytes that do not repeat.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 10'000; ++i) text += std::to_string(i) + "\n";
  return text.substr(0, 10'000);
}

class Get : public testing::Test {
 protected:
  Get() : folder_(fs::current_path() / ("get_test_" + std::to_string(getpid()))) {
    setenv("no_proxy", "127.0.0.1", 1);
    fs::remove_all(folder_);
  }
  ~Get() override { fs::remove_all(folder_); }
  void SetUp() override {
    const std::string version = run({"--version"}).out;
    for (const std::string missing : {"no curl", "no OpenSSL", "no libarchive"})
      if (version.find(missing) != std::string::npos) GTEST_SKIP() << "skipped: built with " << missing;
  }

  Ran get(std::vector<std::string> arguments, const RunOptions& options = {}) const {
    arguments.insert(arguments.begin(), {"data", "get"});
    arguments.insert(arguments.end(), {"--data", folder()});
    return run(arguments, options);
  }
  std::string folder() const { return folder_.string(); }
  std::string text(const std::string& file) const { return text_of((folder_ / file).string()); }
  void write(const std::string& file, const std::string& content) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }
  std::set<std::string> files() const {
    std::set<std::string> all;
    if (fs::exists(folder_))
      for (const auto& entry : fs::recursive_directory_iterator(folder_))
        if (!entry.is_directory()) all.insert(fs::relative(entry.path(), folder_).string());
    return all;
  }
  const std::set<std::string> part_files{"downloads/freesolv-SAMPL.csv.part",
                                         "downloads/freesolv-SAMPL.csv.part.state"};

 private:
  fs::path folder_;
};

std::vector<std::string> paths(const HttpServer& server) {
  std::vector<std::string> all;
  for (const HttpRequest& r : server.requests()) all.push_back(r.path);
  return all;
}

TEST_F(Get, DownloadsVerifiesAndRecords) {
  HttpServer server([](const HttpRequest&) { return HttpAnswer{long_text()}; });
  const Ran r = get({"freesolv", "--from", server.url("SAMPL.csv")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "freesolv: complete in " + folder() +
                       "; licence: none stated for the table (DeepChem, which publishes it: MIT); see "
                       "moleculenet.org\n");
  EXPECT_EQ(r.err, "freesolv: downloading " + server.url("SAMPL.csv") + "\n");
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());
  EXPECT_EQ(files(), (std::set<std::string>{"SHA256SUMS", "molecules/SAMPL.csv"}));
  EXPECT_EQ(std::system(("cd '" + folder() + "' && sha256sum --quiet --strict -c SHA256SUMS").c_str()), 0);

  const Ran again = get({"freesolv", "--from", server.url("SAMPL.csv")});
  EXPECT_EQ(again.status, 0);
  EXPECT_TRUE(again.out.starts_with("freesolv: was already in " + folder())) << again.out;
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(get({"freesolv", "--from", server.url("SAMPL.csv"), "--force", "--quiet"}).err, "");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(Get, ContinuesABrokenConnection) {
  int answers = 0;
  HttpServer server([&](const HttpRequest& r) {
    HttpAnswer answer = ranged(r, long_text(), "\"v1\"");
    if (answers++ == 0) answer.sent = 4'000;
    return answer;
  });
  const Ran r = get({"freesolv", "--from", server.url("SAMPL.csv")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.err.find("the connection broke off after 4000 of 10000 bytes; retry 1 of 4\n"), std::string::npos)
      << r.err;
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].range, "");
  EXPECT_EQ(requests[1].range, "bytes=4000-");
  EXPECT_EQ(requests[1].if_range, "\"v1\"");
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());
}

TEST_F(Get, TheNextCommandContinues) {
  std::string version = "\"v1\"";
  bool breaks = true;
  HttpServer server([&](const HttpRequest& r) {
    HttpAnswer answer = ranged(r, long_text(), version);
    if (breaks) answer.sent = 4'000;
    return answer;
  });
  const std::vector<std::string> command{"freesolv", "--from", server.url("SAMPL.csv"), "--retries", "0"};
  const Ran broken = get(command);
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.err.find("espalier: " + server.url("SAMPL.csv") +
                            ": the connection broke off after 4000 of 10000 bytes\n"),
            std::string::npos)
      << broken.err;
  EXPECT_EQ(files(), part_files);

  breaks = false;
  const Ran r = get(command);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "freesolv: continuing " + server.url("SAMPL.csv") + "\n");
  EXPECT_EQ(server.requests().back().range, "bytes=4000-");
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());

  breaks = true;  // the file changes between the two parts
  EXPECT_EQ(get({"hiv", "--from", server.url("HIV.csv"), "--retries", "0"}).status, 1);
  breaks = false;
  version = "\"v2\"";
  EXPECT_EQ(get({"hiv", "--from", server.url("HIV.csv"), "--retries", "0"}).status, 0);
  EXPECT_EQ(server.requests().back().if_range, "\"v1\"");
  EXPECT_EQ(text("molecules/HIV.csv"), long_text());
}

TEST_F(Get, StartsAgainIfTheServerIgnoresRanges) {
  int answers = 0;
  HttpServer server([&](const HttpRequest&) {
    return HttpAnswer{.body = long_text(), .headers = {"ETag: \"v1\""}, .sent = answers++ == 0 ? 4'000u : 10'000u};
  });
  EXPECT_EQ(get({"freesolv", "--from", server.url("SAMPL.csv")}).status, 0);
  EXPECT_EQ(server.requests().back().range, "bytes=4000-");
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());

  answers = 0;  // without a version, no range is asked for
  HttpServer plain(
      [&](const HttpRequest&) { return HttpAnswer{.body = long_text(), .sent = answers++ == 0 ? 4'000u : 10'000u}; });
  EXPECT_EQ(get({"hiv", "--from", plain.url("HIV.csv")}).status, 0);
  EXPECT_EQ(plain.requests().back().range, "");
  EXPECT_EQ(text("molecules/HIV.csv"), long_text());
}

// All bytes of the first file had arrived when the second one failed.
TEST_F(Get, KeepsCompletePartsOfASet) {
  bool has_all = false;
  HttpServer server([&](const HttpRequest& r) {
    if (r.path == "/ewt/en_ewt-ud-dev.conllu" && !has_all) return HttpAnswer{"", 404};
    return ranged(r, "text of " + r.path, "\"v1\"");
  });
  const Ran broken = get({"ewt", "--from", server.url("ewt")});
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.err.find("espalier: " + server.url("ewt/en_ewt-ud-dev.conllu") +
                            ": the server answered with HTTP status 404\n"),
            std::string::npos)
      << broken.err;
  EXPECT_EQ(files().count("ud_english_ewt/en_ewt-ud-train.conllu"), 0u);
  has_all = true;
  EXPECT_EQ(get({"ewt", "--from", server.url("ewt")}).status, 0);
  EXPECT_EQ(text("ud_english_ewt/en_ewt-ud-train.conllu"), "text of /ewt/en_ewt-ud-train.conllu");
  EXPECT_EQ(text("ud_english_ewt/en_ewt-ud-test.conllu"), "text of /ewt/en_ewt-ud-test.conllu");
  EXPECT_EQ(server.requests()[2].range, "bytes=35-");
}

TEST_F(Get, GivesUpAStalledConnection) {
  HttpServer server([](const HttpRequest&) { return HttpAnswer{.body = long_text(), .sent = 100, .hangs = true}; });
  const Ran r = get({"freesolv", "--from", server.url("SAMPL.csv"), "--timeout", "0.25", "--retries", "1"});
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find(": no data for 0.25 s (--timeout); tried 2 times\n"), std::string::npos) << r.err;
}

TEST_F(Get, RefusesWrongContent) {
  const std::string zip =
      zipped({{"trees/train.txt", "(3 good)\n"}, {"trees/dev.txt", "(1 bad)\n"}, {"trees/test.txt", "(2 so)\n"}});
  HttpServer server([&](const HttpRequest&) { return HttpAnswer{zip}; });
  const Ran r = get({"sst", "--from", server.url("trees.zip"), "--quiet"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "espalier: sst/train.txt: the download has the SHA-256 checksum "
            "4a4d10240e46e5c2ea5f4c204228fbc691a60f7153882049e8046403d25157a5; needed "
            "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7 (measured on a copy); nothing was kept; "
            "--unverified accepts it\n");
  EXPECT_EQ(files(), std::set<std::string>{});

  EXPECT_EQ(get({"sst", "--from", server.url("trees.zip"), "--unverified"}).status, 0);
  EXPECT_EQ(text("sst/train.txt"), "(3 good)\n");
  EXPECT_EQ(text("sst/test.txt"), "(2 so)\n");
  EXPECT_EQ(get({"sst"}).status, 0);  // the recorded checksums are right
}

TEST_F(Get, ComparesWithTheRecord) {
  std::string body = "first\n";
  HttpServer server([&](const HttpRequest&) { return HttpAnswer{body}; });
  const std::string from = server.url("SAMPL.csv");
  EXPECT_EQ(get({"freesolv", "--from", from}).status, 0);
  body = "second\n";
  const Ran other = get({"freesolv", "--from", from, "--force"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("needed b640e840b19d378660b32fb51ae18d67dccb4a8596a29e7bd72c1b2ae5928f41 (recorded in "
                           "SHA256SUMS); nothing was kept"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(text("molecules/SAMPL.csv"), "first\n");
  EXPECT_EQ(files(), (std::set<std::string>{"SHA256SUMS", "molecules/SAMPL.csv"}));
  EXPECT_EQ(get({"freesolv", "--from", from, "--force", "--unverified"}).status, 0);
  EXPECT_EQ(text("molecules/SAMPL.csv"), "second\n");
  EXPECT_EQ(std::system(("cd '" + folder() + "' && sha256sum --quiet --strict -c SHA256SUMS").c_str()), 0);

  write("molecules/SAMPL.csv", "third\n");
  const Ran changed = get({"freesolv", "--from", from});
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.err.find("molecules/SAMPL.csv: has the SHA-256 checksum "), std::string::npos) << changed.err;
  EXPECT_NE(changed.err.find("; --force replaces it\n"), std::string::npos) << changed.err;
  EXPECT_EQ(text("molecules/SAMPL.csv"), "third\n");

  write("SHA256SUMS", "no sum\n");
  EXPECT_NE(get({"freesolv"}).err.find("SHA256SUMS:1:1: expected a SHA-256 checksum, two spaces and a file name\n"),
            std::string::npos);
}

TEST_F(Get, HttpErrors) {
  int answers = 0;
  HttpServer server([&](const HttpRequest& r) {
    if (r.path == "/none") return HttpAnswer{"<html>not found</html>", 404};
    if (r.path == "/page") return HttpAnswer{"  <!DOCTYPE html><html></html>"};
    return answers++ == 0 || r.path == "/broken" ? HttpAnswer{"busy", 500} : HttpAnswer{"text\n"};
  });
  const Ran none = get({"freesolv", "--from", server.url("none"), "--quiet"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "espalier: " + server.url("none") + ": the server answered with HTTP status 404\n");
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(files(), std::set<std::string>{});
  EXPECT_EQ(get({"freesolv", "--from", server.url("page"), "--quiet"}).err,
            "espalier: " + server.url("page") + ": the server sent a web page instead of the file\n");
  EXPECT_EQ(files(), std::set<std::string>{});

  const Ran passing = get({"freesolv", "--from", server.url("busy")});
  EXPECT_EQ(passing.status, 0) << passing.err;
  EXPECT_NE(passing.err.find(": the server answered with HTTP status 500; retry 1 of 4\n"), std::string::npos);
  EXPECT_EQ(text("molecules/SAMPL.csv"), "text\n");
  EXPECT_EQ(get({"hiv", "--from", server.url("broken"), "--retries", "1", "--quiet"}).err,
            "espalier: " + server.url("broken") + ": the server answered with HTTP status 500; tried 2 times\n");
}

TEST_F(Get, FollowsRedirects) {
  HttpServer server([](const HttpRequest& r) {
    if (r.path == "/moved") return HttpAnswer{"moved", 302, {"ETag: \"old\"", "Location: /SAMPL.csv"}};
    if (r.path == "/loop") return HttpAnswer{"", 302, {"Location: /loop"}};
    if (r.path == "/local") return HttpAnswer{"", 302, {"Location: file:///etc/passwd"}};
    return HttpAnswer{long_text()};
  });
  EXPECT_EQ(get({"freesolv", "--from", server.url("moved")}).status, 0);
  EXPECT_EQ(paths(server), (std::vector<std::string>{"/moved", "/SAMPL.csv"}));
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());

  EXPECT_EQ(get({"hiv", "--from", server.url("loop"), "--quiet"}).err,
            "espalier: " + server.url("loop") + ": more than 10 redirects\n");
  EXPECT_EQ(server.requests().size(), 2u + 11);
  EXPECT_EQ(get({"hiv", "--from", server.url("local"), "--quiet"}).err,
            "espalier: " + server.url("local") + ": the address, or one it redirects to, is neither http nor https\n");
}

TEST_F(Get, Unpacks) {
  HttpServer server([](const HttpRequest& r) {
    if (r.path == "/sider.csv.gz") return HttpAnswer{gzipped("a,b\n")};
    if (r.path == "/glove.6B.zip")
      return HttpAnswer{
          zipped({{"../evil.txt", "evil"}, {"glove.6B.50d.txt", "the 1"}, {"glove.6B.300d.txt", "the 2"}})};
    if (r.path == "/link.zip") return HttpAnswer{zipped({{"glove.6B.300d.txt", "/etc/passwd", 0120777}})};
    if (r.path == "/other.zip") return HttpAnswer{zipped({{"glove.6B.50d.txt", "the 1"}})};
    std::string damaged = zipped({{"glove.6B.300d.txt", "the 2"}});
    damaged[damaged.find("the 2")] = 'T';
    return r.path == "/damaged.zip" ? HttpAnswer{damaged} : HttpAnswer{"no archive"};
  });
  EXPECT_EQ(get({"sider", "--from", server.url("sider.csv.gz")}).status, 0);
  EXPECT_EQ(text("molecules/sider.csv"), "a,b\n");

  const auto refused = [&](const std::string& name, const std::string& reason) {
    const Ran r = get({"glove", "--from", server.url(name), "--quiet"});
    EXPECT_EQ(r.status, 1) << name;
    EXPECT_TRUE(r.err.starts_with("espalier: " + server.url(name) + ": " + reason)) << r.err;
    EXPECT_EQ(files(), (std::set<std::string>{"SHA256SUMS", "molecules/sider.csv"})) << name;
  };
  refused("other.zip", "has no member glove.6B.300d.txt\n");
  refused("link.zip", "its member glove.6B.300d.txt is not a regular file\n");
  refused("text.zip", "cannot be unpacked: ");
  refused("damaged.zip", "cannot be unpacked: ");
  EXPECT_EQ(get({"glove", "--from", server.url("glove.6B.zip")}).status, 0);
  EXPECT_EQ(text("glove/glove.6B.300d.txt"), "the 2");
  EXPECT_EQ(files(), (std::set<std::string>{"SHA256SUMS", "glove/glove.6B.300d.txt", "molecules/sider.csv"}));
  EXPECT_FALSE(fs::exists(fs::path(folder()).parent_path() / "evil.txt"));
}

TEST_F(Get, ReadsLocalFiles) {
  const std::string sentence =
      "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n";
  for (const std::string part : {"train", "dev", "test"}) write("from here/en_ewt-ud-" + part + ".conllu", sentence);
  write("wiki/aij-wikiner-en-wp3.bz2", "Paris|NNP|I-LOC is|VBZ|O\n\nx|y|z|O\n");
  write("wiki/wikigold.conll.txt", "-DOCSTART- O\n\nIn O\nRome I-LOC\n\n");
  const Ran r = get({"text", "--from", folder() + "/from here", "--quiet"});  // gets ewt first
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(text("text/train.txt"), "It works\n");
  EXPECT_EQ(text("ud_english_ewt/en_ewt-ud-dev.conllu"), sentence);
  const Ran wikiner = get({"wikiner", "--from", "file://" + folder() + "/wiki"});
  EXPECT_EQ(wikiner.status, 0);
  EXPECT_NE(wikiner.err.find("wikiner/dev.txt: differs from the file that the figures in docs/results.md were measured "
                             "on\n"),
            std::string::npos)
      << wikiner.err;
  EXPECT_EQ(text("wikiner/train.txt"), "Paris|I-LOC is|O\nx|y|O\n");
  EXPECT_EQ(text("wikiner/dev.txt"), "In|O Rome|I-LOC\n");
  EXPECT_EQ(files().count("wikiner/train.txt.raw"), 0u);

  write("wiki/wikigold.conll.txt", "word\n");
  EXPECT_NE(get({"wikiner", "--from", folder() + "/wiki", "--force"}).err.find("1:1: 'word' is not a word and its tag"),
            std::string::npos);
  EXPECT_EQ(text("wikiner/dev.txt"), "In|O Rome|I-LOC\n");
}

TEST_F(Get, AcceptsCompressedFilesThatArePresent) {
  write("molecules/SAMPL.csv", "text\n");
  const Ran unknown = get({"freesolv"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_EQ(unknown.err, folder() + "/molecules/SAMPL.csv: is present; its checksum is unknown\n");
  write("SHA256SUMS", "b9e68e1bea3e5b19ca6b2f98b73a54b73daafaa250484902e09982e07a12e733  molecules/SAMPL.csv\n");
  EXPECT_EQ(get({"freesolv"}).err, "");
  fs::remove(folder() + "/molecules/SAMPL.csv");
  write("molecules/SAMPL.csv.gz", gzipped("text\n"));
  EXPECT_EQ(get({"freesolv"}).err, "");
}

TEST_F(Get, InterruptedKeepsOnlyThePart) {
  bool hangs = true;
  HttpServer server([&](const HttpRequest& r) {
    HttpAnswer answer = ranged(r, long_text(), "\"v1\"");
    answer.hangs = hangs;
    if (hangs) answer.sent = 4'000;
    return answer;
  });
  const std::vector<std::string> command{"freesolv", "--from", server.url("SAMPL.csv"), "--quiet"};
  const Ran r = get(command, {.interrupt = true,
                              .when = folder() + "/downloads/freesolv-SAMPL.csv.part",
                              .text = long_text().substr(0, 4'000)});
  EXPECT_EQ(r.status, 130);
  EXPECT_EQ(r.err, "espalier: interrupted; the same command continues the download\n");
  EXPECT_EQ(files(), part_files);
  hangs = false;
  EXPECT_EQ(get(command).status, 0);
  EXPECT_EQ(server.requests().back().range, "bytes=4000-");
  EXPECT_EQ(text("molecules/SAMPL.csv"), long_text());
}

TEST_F(Get, TwoProcessesDoNotShareAPart) {
  HttpServer server([](const HttpRequest&) { return HttpAnswer{.body = long_text(), .sent = 4'000, .hangs = true}; });
  const std::string path = folder() + "/downloads/freesolv-SAMPL.csv.part";
  const std::vector<std::string> command{"freesolv", "--from", server.url("SAMPL.csv"), "--quiet", "--retries", "0"};
  std::vector<std::string> first = command;
  first.insert(first.end(), {"--timeout", "1"});
  Ran second;
  get(first, {.interrupt = true, .when = path, .text = "999\n", .instead = [&] { second = get(command); }});
  EXPECT_EQ(second.status, 1);
  EXPECT_EQ(second.err, "espalier: " + path + ": another process downloads this file\n");
}

TEST_F(Get, UnwritableFoldersAreErrors) {
  HttpServer server([](const HttpRequest&) { return HttpAnswer{long_text()}; });
  write("file", "");
  const std::vector<std::string> command{"data", "get", "freesolv", "--from", server.url("SAMPL.csv"), "--quiet"};
  std::vector<std::string> below_a_file = command;
  below_a_file.insert(below_a_file.end(), {"--data", folder() + "/file"});
  const Ran r = run(below_a_file);
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "espalier: " + folder() + "/file/downloads/freesolv-SAMPL.csv.part: cannot be written: Not a directory\n");
  EXPECT_EQ(server.requests().size(), 0u);

  const Ran full = get({"freesolv", "--from", server.url("SAMPL.csv"), "--quiet"}, {.largest_file = 4'096});
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err,
            "espalier: " + folder() + "/downloads/freesolv-SAMPL.csv.part: cannot be written: File too large\n");
  EXPECT_EQ(server.requests().size(), 1u);  // not retried
  EXPECT_EQ(files().count("molecules/SAMPL.csv"), 0u);
}

TEST_F(Get, WrongArguments) {
  EXPECT_EQ(get({"ssst"}).err,
            "espalier: there is no data set 'ssst'; the nearest of 19: 'sst', 'sick', 'ewt', 'text', 'esol'; 'espalier "
            "data list' lists all\n");
  EXPECT_EQ(get({"sst", "elephants"}).err,
            "espalier: there is no data set 'elephants'; the nearest of 19: 'ewt', 'text', 'listops', 'clintox', "
            "'sst'; 'espalier data list' lists all\n");
  EXPECT_EQ(get({"sst", "ewt", "--from", "x"}).err,
            "espalier: --from is the address of one data set; several are given\n");
  EXPECT_EQ(get({"sst", "--from", "ftp://127.0.0.1/x", "--quiet"}).err,
            "espalier: ftp://127.0.0.1/x: the address, or one it redirects to, is neither http nor https\n");
  EXPECT_EQ(get({"sst", "--timeout", "0"}).status, 2);
  const Ran none = run({"data", "get"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "espalier data get: NAME is required\nRun 'espalier data get --help' for usage.\n");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
