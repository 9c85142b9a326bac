// Parameters by name: the tree, globs, counting, the table; and handles that share.
#include <espalier/param/parameters.h>

#include <gtest/gtest.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>

#include "io/folder.h"

namespace espalier {
namespace {

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
  EXPECT_EQ(t.params["encoder.1.weight"].slot(), t.enc1.slot());
  EXPECT_EQ(message<Error>([&] { t.params["encoder.2.weight"]; }),
            "parameters: there is no 'encoder.2.weight'; all() lists what there is");
}

TEST(Parameters, SummaryIsATable) {
  const Tree t;
  t.params["out.bias"].freeze();
  EXPECT_EQ(t.params.summary(),
            "name              shape      numbers\n"
            "words.weight      [1000,30]   30,000  table\n"
            "encoder.0.weight  [4,3]           12\n"
            "encoder.1.weight  [4]              4\n"
            "out.bias          []               1  frozen\n"
            "total                         30,017\n");
  EXPECT_EQ(t.params.summary("nothing*"),
            "name   shape  numbers\n"
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
  EXPECT_EQ(first.weight.value().data[0], 42);
  EXPECT_EQ(t.params.count("encoder.0.*"), 12u);
  EXPECT_EQ(names(t.params.all()).size(), 4u);
  io::save(folder / "c", {&t.params});
  EXPECT_EQ(io::File::read(folder / "c").tensors.size(), 4u);
  EXPECT_EQ(message<Error>([&] { (t.params / "encoder" / "0").add("weight", {1}); }),
            "parameters: there is 'encoder.0.weight' already; a name can be given once");
}

TEST(Parameters, ANameIsFreeWhenNobodyHoldsItsParameter) {
  Tree t;
  t.enc0 = Parameter();
  EXPECT_EQ(t.params.count(), 30'005u);
  t.enc0 = (t.params / "encoder" / "0").add("weight", {1});
  EXPECT_EQ(names(t.params.all()).back(), "encoder.0.weight");
  EXPECT_EQ(message<GraphError>([] { Parameter().name(); }), "parameter: it is empty; make it with Scope::add");
}

}  // namespace
}  // namespace espalier
