// Parameters by name: scopes, globs, counts, the summary table; and handles that share a parameter.
#include <espalier/param/parameters.h>

#include <gtest/gtest.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>

#include "io/folder.h"

namespace espalier {
namespace ESPALIER_FILE {

using io::message;

struct Tree {
  Parameters params;
  Lookup words = (params / "words").add_lookup("weight", 1000, {30});
  Parameter enc0 = (params / "encoder" / "0").add("weight", {4, 3}),
            enc1 = (params / "encoder" / "1").add("weight", {4}), bias = (params / "out").add("bias", {});
};

std::vector<std::string> names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> found;
  for (const Parameter& p : parameters) found.push_back(p.name());
  return found;
}

TEST(Parameters, AreListedByGlobInTheOrderOfMaking) {
  const Tree t;
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(t.params.all()), (Names{"words.weight", "encoder.0.weight", "encoder.1.weight", "out.bias"}));
  EXPECT_EQ(names(t.params.all("encoder.*")), (Names{"encoder.0.weight", "encoder.1.weight"}));
  EXPECT_EQ(names(t.params.all("*.weight")), (Names{"words.weight", "encoder.0.weight", "encoder.1.weight"}));
  EXPECT_EQ(names(t.params.all("encoder")), Names{});
  EXPECT_EQ(t.params.count(), 30'017u);
  EXPECT_EQ(t.params.count("encoder.?.weight"), 16u);
  EXPECT_EQ(t.params["encoder.1.weight"].storage(), t.enc1.storage());
  EXPECT_EQ(message<Error>([&] { t.params["encoder.2.weight"]; }),
            "parameters: no parameter is named 'encoder.2.weight'; all() lists them");
}

TEST(Parameters, SummaryIsATable) {
  const Tree t;
  t.params["out.bias"].freeze();
  EXPECT_EQ(t.params.summary(),
            "name              shape       values\n"
            "words.weight      [1000,30]   30,000  table\n"
            "encoder.0.weight  [4,3]           12\n"
            "encoder.1.weight  [4]              4\n"
            "out.bias          []               1  frozen\n"
            "total                         30,017\n");
  EXPECT_EQ(t.params.summary("nothing*"),
            "name   shape   values\n"
            "total               0\n");
}

TEST(Parameters, ACopyShares) {
  const io::Folder folder;
  Tree t;
  struct Module {
    Parameter weight;
  };
  const Module first{t.enc0};
  Module second = first;
  second.weight.assign({{4, 3}, std::vector<float>(12, 42)});
  EXPECT_EQ(first.weight.value()[0], 42);
  EXPECT_EQ(t.params.count("encoder.0.*"), 12u);
  EXPECT_EQ(names(t.params.all()).size(), 4u);
  io::save(folder / "c", {&t.params});
  EXPECT_EQ(io::File::read(folder / "c").tensors.size(), 4u);
  EXPECT_EQ(message<Error>([&] { (t.params / "encoder" / "0").add("weight", {1}); }),
            "parameters: 'encoder.0.weight' already exists; names must be unique");
}

TEST(Parameters, AreOwnedWhetherSomebodyHoldsThemOrNot) {
  Tree t;
  t.enc0.assign({{4, 3}, std::vector<float>(12, 42)});
  t.enc0 = Parameter();
  EXPECT_EQ(t.params.count(), 30'017u);
  EXPECT_EQ(t.params["encoder.0.weight"].value()[0], 42);
  EXPECT_EQ(message<Error>([&] { (t.params / "encoder" / "0").add("weight", {1}); }),
            "parameters: 'encoder.0.weight' already exists; names must be unique");
}

TEST(Parameters, ANameOfAFailedOneIsFree) {
  Parameters params;
  EXPECT_THROW(Scope(params).add("w", {2}, init::from({1, 2, 3})), Error);
  EXPECT_EQ(params.count(), 0u);
  EXPECT_EQ(Scope(params).add("w", {2}, init::from({1, 2})).value()[1], 2);
}

TEST(Parameters, HaveNamesThatAFileCanHold) {
  Parameters params;
  const Scope scope = params / "a";
  EXPECT_EQ(message<Error>([&] { scope.add("", {1}); }),
            "parameters: a name in 'a' is empty; at least one character is needed");
  EXPECT_EQ(message<Error>([&] { scope.add_lookup("", 2, {1}); }),
            "parameters: a name in 'a' is empty; at least one character is needed");
  EXPECT_EQ(message<Error>([&] { (void)(params / ""); }),
            "parameters: a name in '' is empty; at least one character is needed");
  EXPECT_EQ(message<Error>([&] { Scope(params).add("__metadata__", {1}); }),
            "parameters: the name '__metadata__' is reserved by safetensors");
  EXPECT_EQ(message<Error>([&] { scope.add("w\xff", {1}); }),
            "parameters: byte 3 of a name is not UTF-8; names must be UTF-8 to be stored in files");
  EXPECT_EQ(params.count(), 0u);
  EXPECT_EQ(scope.add("größe", {1}).name(), "a.größe");
}

TEST(Parameters, AnEmptyHandleIsAnError) {
  EXPECT_EQ(message<GraphError>([] { Parameter().name(); }), "parameter: it is empty; make it with Scope::add");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
