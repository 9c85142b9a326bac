// Weights saved by PyTorch load unchanged, and our modules compute the same as PyTorch's. make_torch.py creates the
// files if PyTorch is installed.
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <espalier/engine/engine.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>
#include <espalier/nn/modules.h>

#include "io/folder.h"
#include "io/names.h"

namespace espalier::io {
namespace ESPALIER_FILE {

class PyTorch : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string python : {"python3", "/usr/bin/python3"}) {
      const std::string script = ESPALIER_SOURCE_DIR "/tests/io/make_torch.py";
      const int status = std::system((python + " '" + script + "' '" + folder_ / "." + "'").c_str());
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      ASSERT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) << status;
    }
    GTEST_SKIP() << "no python3 with torch (Debian: python3-torch)";
  }
  std::string file(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
};

void expect_equal(const File& a, const File& b) {
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_TRUE(b.tensors.contains(name)) << name;
    EXPECT_EQ(tensor.shape(), b.tensors.at(name).shape()) << name;
    EXPECT_EQ(tensor.to_vector(), b.tensors.at(name).to_vector()) << name;
  }
}

TEST_F(PyTorch, FilesAreReadOrRefused) {
  const File modules = File::read(file("modules.pt")), odd = File::read(file("odd.pt"));
  EXPECT_GT(modules.tensors.size(), 40u);
  expect_equal(modules, File::read(file("modules.safetensors")));
  EXPECT_EQ(odd.tensors.size(), 15u);
  expect_equal(odd, File::read(file("odd.safetensors")));

  const std::string save_this = "; a tensor is needed: torch.save(model.state_dict(), path)";
  const std::pair<const char*, std::string> cases[] = {
      {"old", "was written by PyTorch before 1.6 or without zip; load it in PyTorch and save it again"},
      {"protocol", "byte 0 of its pickle: protocol 4; 2 is needed, the default of torch.save"},
      {"number", "tensor 'epoch' is the number 3" + save_this},
      {"nested", "tensor 'state_dict' is a dict" + save_this},
      {"list", "holds a list; a dict of tensors is needed: torch.save(model.state_dict(), path)"},
      {"name", "holds the number 0 as a name; a string is needed"},
      {"expanded", "tensor 'a': it has more elements than its storage, which has 1; save a copy made by clone()"},
      {"integers", "tensor 'a': dtype is I64; F32, F64, F16 or BF16 is needed"},
      {"complex", "tensor 'a': its storage type 'torch.ComplexFloatStorage' is not supported"},
      {"module", "byte 2 of its pickle: refers to 'torch.nn.modules.linear.Linear', which no state_dict needs"},
      {"function", "byte 13 of its pickle: refers to '__builtin__.print', which no state_dict needs"},
  };
  for (const auto& [name, what] : cases) {
    const std::string path = file(std::string("bad_") + name + ".pt");
    EXPECT_EQ(message<DataError>([&] { File::read(path); }), path + ": " + what);
  }
}

// The same modules here.
struct Modules {
  Parameters params{3};
  Scope p = params;
  nn::Linear linear{p / "linear", 5, 4}, plain{p / "plain", 5, 4, false};
  nn::Embedding words{p / "words", 7, 3};
  nn::LSTM lstm{p / "lstm", 5, 4}, lstmcell{p / "lstmcell", 5, 4};
  nn::BiLSTM bilstm{p / "bilstm", 5, 4};
  nn::DeepLSTM deep{p / "deep", 5, 4, 3};
  nn::DeepBiLSTM deepbi{p / "deepbi", 5, 4, 2};
  nn::GRU gru{p / "gru", 5, 4};
  nn::DeepBiGRU deepbigru{p / "deepbigru", 5, 4, 2};
  nn::RNN rnn{p / "rnn", 5, 4};
  nn::LayerNorm norm{p / "norm", 5};
};

void expect_what_theirs_compute(const std::string& weights, const File& expected) {
  Modules m;
  load(weights, {&m.params});
  Engine engine;
  Graph g = engine.graph(Mode::infer);

  const auto steps = [&](const std::string& name) {
    const Tensor& in = expected.tensors.at(name + ".in");
    const auto width = static_cast<size_t>(in.shape()[1]);
    std::vector<Expr> xs;
    for (size_t at = 0; at < in.size(); at += width)
      xs.push_back(input(g, in.values().subspan(at, width), {in.shape()[1]}));
    return xs;
  };
  const auto compare = [&](const std::string& name, const std::vector<Expr>& ys) {
    std::vector<float> got;
    for (const Tensor& y : engine.tensors(ys)) got.insert(got.end(), y.begin(), y.end());
    const Tensor& want = expected.tensors.at(name + ".out");
    ASSERT_EQ(got.size(), want.size()) << name;
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << name << " " << i;
  };
  const auto map = [](const std::vector<Expr>& xs, auto f) {
    std::vector<Expr> ys;
    for (const Expr x : xs) ys.push_back(f(x));
    return ys;
  };
  compare("linear", map(steps("linear"), m.linear));
  compare("plain", map(steps("plain"), m.plain));
  std::vector<Expr> rows;
  for (int i = 0; i < 7; ++i) rows.push_back(m.words(g, i));
  compare("words", rows);
  compare("norm", map(steps("norm"), m.norm));
  compare("lstm", m.lstm.run(steps("lstm")));
  compare("lstmcell", map(steps("lstmcell"), [&](Expr x) { return m.lstmcell(x).h; }));
  compare("bilstm", m.bilstm(steps("bilstm")));
  compare("deep", m.deep.run(steps("deep")));
  compare("deepbi", m.deepbi(steps("deepbi")));
  compare("gru", m.gru.run(steps("gru")));
  compare("deepbigru", m.deepbigru(steps("deepbigru")));
  compare("rnn", m.rnn.run(steps("rnn")));
}

TEST_F(PyTorch, OurModulesComputeWhatTheirsDo) {
  const File expected = File::read(file("expected.safetensors"));
  for (const char* weights : {"modules.pt", "modules.safetensors"}) expect_what_theirs_compute(file(weights), expected);

  // Mismatches are named as in the file and change nothing.
  Parameters params;
  const nn::LSTM lstm(params / "lstm", 5, 3), deep(params / "deep" / "0", 5, 4);
  const std::vector<float> before = lstm.weight_ih.value().to_vector();
  const std::string said = message<DataError>([&] { load(file("modules.pt"), {&params}); });
  EXPECT_NE(said.find("'lstm.bias_ih_l0' is [16] in the file, [12] here"), std::string::npos) << said;
  EXPECT_EQ(lstm.weight_ih.value().to_vector(), before);
}

TEST(PyTorchNames, AreThoseOfRecurrentLayers) {
  using Names = std::vector<std::vector<std::string>>;
  EXPECT_EQ(names_in_files("out.weight"), (Names{{"out.weight"}}));
  EXPECT_EQ(names_in_files("x.weight_ih"), (Names{{"x.weight_ih"}, {"x.weight_ih_l0"}}));
  EXPECT_EQ(names_in_files("weight_hh"), (Names{{"weight_hh"}, {"weight_hh_l0"}}));
  EXPECT_EQ(names_in_files("x.bias"),
            (Names{{"x.bias"}, {"x.bias_ih", "x.bias_hh"}, {"x.bias_ih_l0", "x.bias_hh_l0"}}));
  EXPECT_EQ(names_in_files("x.12.weight_hh"), (Names{{"x.12.weight_hh"}, {"x.12.weight_hh_l0"}, {"x.weight_hh_l12"}}));
  EXPECT_EQ(names_in_files("x.forward.bias_hh"),
            (Names{{"x.forward.bias_hh"}, {"x.forward.bias_hh_l0"}, {"x.bias_hh_l0"}}));
  EXPECT_EQ(names_in_files("x.2.backward.weight_ih"), (Names{{"x.2.backward.weight_ih"},
                                                             {"x.2.backward.weight_ih_l0"},
                                                             {"x.2.weight_ih_l0_reverse"},
                                                             {"x.weight_ih_l2_reverse"}}));
  EXPECT_EQ(names_in_files("backward.weight_ih"),
            (Names{{"backward.weight_ih"}, {"backward.weight_ih_l0"}, {"weight_ih_l0_reverse"}}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
