// Names that change: rename and set_prefix are visible wherever names are printed, in files and in errors.
#include <gtest/gtest.h>

#include <thread>

#include <espalier/espalier.h>

#include "cell/program.h"
#include "errors/error_test.h"
#include "io/folder.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using io::Folder;

struct Names : Errors {
  Parameter U = (scope / "lstm").add("U", {3, 2}), b = (scope / "lstm").add("b", {3});
  Lookup words = scope.add_lookup("words", 5, {2});
  Cell<Expr(Expr)> node = (scope / "lstm").cell("node", {{2}}, [&](Expr x) { return tanh(linear(x, U, b)); });
  Cell<Expr(Index)> word = scope.cell("word", {{}}, [&](Index i) { return tanh(lookup(words, i)); });
  bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(Names, AreComposedWhenTheyAreRead) {
  EXPECT_EQ(U.name(), "lstm.U");
  EXPECT_EQ(node.name(), "lstm.node");
  params.set_prefix("encoder.0");
  EXPECT_EQ(params.prefix(), "encoder.0");
  EXPECT_EQ(U.name(), "encoder.0.lstm.U");
  EXPECT_EQ(node.name(), "encoder.0.lstm.node");
  U.rename("lstm.recurrent");
  EXPECT_EQ(U.name(), "encoder.0.lstm.recurrent");
  EXPECT_EQ(params["encoder.0.lstm.recurrent"].storage(), U.storage());
  EXPECT_THROW(params["lstm.recurrent"], Error);
  EXPECT_EQ(params.all("encoder.0.lstm.*").size(), 2u);
  EXPECT_EQ(params.all("lstm.*").size(), 0u);
  EXPECT_EQ((scope / "lstm").path(), "lstm");
  params.set_prefix("");
  EXPECT_EQ(U.name(), "lstm.recurrent");
}

TEST_F(Names, ArePrintedAsTheyAre) {
  params.set_prefix("encoder");
  U.rename("lstm.V");
  EXPECT_EQ(params.summary("*lstm*"),
            "name            shape   values\n"
            "encoder.lstm.V  [3,2]        6\n"
            "encoder.lstm.b  [3]          3\n"
            "total                        9\n");
  const std::string text = print(*node.program());
  EXPECT_TRUE(text.starts_with("cell encoder.lstm.node groups 0\n")) << text;
  EXPECT_TRUE(contains(text, "parameter encoder.lstm.V :[3,2]")) << text;
  EXPECT_EQ(text.substr(0, 60), node.explain().substr(0, 60));
  Graph g = engine.graph();
  (void)node(row(g, 2));
  EXPECT_TRUE(contains(engine.explain(g), "encoder.lstm.node")) << engine.explain(g);
  params.set_prefix("decoder");
  EXPECT_TRUE(contains(engine.explain(g), "decoder.lstm.node")) << "names of recorded calls too";
}

TEST_F(Names, OfErrorsAreTheCurrentOnes) {
  params.set_prefix("encoder");
  words.rename("table");
  Graph g = engine.graph();
  EXPECT_ERROR(ShapeError, "encoder.lstm.node: argument 0 is [4]; it must be [2] (@)", node(row(g, 4)));
  EXPECT_ERROR(IndexError, "lookup in encoder.table[5,2]: index 5 is out of range; it must be 0…4 (@)", word(g, 5));
  EXPECT_ERROR(GraphError, "encoder.lstm.node: an empty Expr is given; a value is needed (@)", node(g, Expr()));
  EXPECT_ERROR(ShapeError, "assign: encoder.lstm.U[3,2] is given a tensor [1]; the shapes must be equal",
               U.assign({{1}, {1}}));
}

TEST_F(Names, OfFilesAreTheCurrentOnes) {
  const Folder folder;
  params.set_prefix("encoder");
  U.rename("lstm.V");
  io::save(folder / "c", {&params});
  EXPECT_EQ(io::File::read(folder / "c").tensors.count("encoder.lstm.V"), 1u);
  Parameters other(7);
  (void)(other / "lstm").add("V", {3, 2});
  other.set_prefix("encoder");
  (void)io::load(folder / "c", {&other}, false);
  EXPECT_EQ(other["encoder.lstm.V"].value().to_vector(), U.value().to_vector());
}

// A cell that is traced again after a change of names is the same cell.
TEST_F(Names, DoNotTellCellsApart) {
  U.rename("lstm.V");
  params.set_prefix("encoder");
  const auto again = (scope / "lstm").cell("other", {{2}}, [&](Expr x) { return tanh(linear(x, U, b)); });
  EXPECT_EQ(again.program(), node.program());
  Parameters wide;
  const Scope p(wide);
  const Parameter V = p.add("V", {2, 2}), W = p.add("W", {2, 2});
  const auto f = [](Parameter M) { return [M](Expr x) { return linear(x, M); }; };
  EXPECT_NE(p.cell("f", {{2}}, f(V)).program(), p.cell("f", {{2}}, f(W)).program());
}

TEST_F(Names, OfOptimisersAreTheCurrentOnes) {
  optim::Adam adam(params);
  Graph g = engine.graph();
  adam.step(engine.backward(sum_elements(node(row(g, 2)))));
  params.set_prefix("encoder");
  U.rename("V");
  const Parameter late = scope.add("late", {2});
  adam.step(engine.backward(sum_elements(row(g, 2) * late)));
  const Folder folder;
  io::save(folder / "c", {&params, &adam});
  for (const char* name : {"adam.m/encoder.V", "adam.m/encoder.lstm.b", "adam.m/encoder.late"})
    EXPECT_EQ(io::File::read(folder / "c").tensors.count(name), 1u) << name;
}

TEST_F(Names, RefuseTheSameAsAdd) {
  params.set_prefix("encoder");
  EXPECT_ERROR(Error, "parameters: 'encoder.lstm.b' already exists; names must be unique", U.rename("lstm.b"));
  EXPECT_ERROR(Error, "rename: the new name of 'encoder.lstm.U' is empty; at least one character is needed",
               U.rename(""));
  EXPECT_ERROR(Error, "parameters: the name '__metadata__' is reserved by safetensors", U.rename("__metadata__"));
  EXPECT_ERROR(Error, "parameters: byte 1 of a name is not UTF-8; names must be UTF-8 to be stored in files",
               U.rename("U\xff"));
  EXPECT_ERROR(Error, "parameters: byte 1 of a name is not UTF-8; names must be UTF-8 to be stored in files",
               params.set_prefix("e\xff"));
  U.rename("lstm.U");  // its own name
  EXPECT_EQ(U.name(), "encoder.lstm.U");
  EXPECT_EQ(params.prefix(), "encoder");
  EXPECT_EQ(params["encoder.lstm.b"].storage(), b.storage());
  U.rename("old");
  EXPECT_EQ((scope / "lstm").add("U", {1}).name(), "encoder.lstm.U") << "the old name is free";
}

TEST_F(Names, MayChangeWhileAnotherThreadPrints) {
  std::thread changing([&] {
    for (int i = 0; i < 1000; ++i) {
      U.rename(i % 2 == 0 ? "a long name that needs memory of its own" : "V");
      params.set_prefix(i % 3 == 0 ? "a long prefix that needs memory of its own" : "");
    }
  });
  for (int i = 0; i < 1000; ++i) {
    const std::string name = U.name();
    EXPECT_TRUE(name.ends_with("own") || name.ends_with("V") || name.ends_with("U")) << name;
    EXPECT_TRUE(node.name().ends_with("lstm.node"));
  }
  changing.join();
}

TEST_F(Names, OutliveTheirParameters) {
  std::optional<Parameters> short_lived(std::in_place);
  short_lived->set_prefix("module");
  const Parameter p = Scope(*short_lived).add("w", {2});
  const auto cell = Scope(*short_lived).cell("double", {{2}}, [](Expr x) { return x * 2; });
  short_lived.reset();
  EXPECT_EQ(p.name(), "module.w");
  EXPECT_EQ(cell.name(), "module.double");
  Parameter(p).rename("v");
  EXPECT_EQ(p.name(), "module.v");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
