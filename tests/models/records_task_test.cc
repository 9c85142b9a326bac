// records: targets anywhere in nested records, of any kind.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "models/trained_task.h"
#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Json;
using test::TrainedTask;

// An order is large if it has more than three items; its price is the sum over the items.
std::string orders(size_t n, bool one_array) {
  std::mt19937 random(7);
  Json all = Json::array();
  std::string lines;
  for (size_t i = 0; i < n; ++i) {
    Json items = Json::array();
    int price = 0;
    for (uint32_t k = 1 + random() % 6; k > 0; --k) {
      const bool dear = random() % 2 == 0;
      price += dear ? 5 : 1;
      items.push_back({{"kind", dear ? "lamp" : "nail"}});
    }
    Json record{{"id", i},
                {"order", {{"items", items}, {"size", items.size() > 3 ? "large" : "small"}}},
                {"price", i % 10 == 0 ? Json() : Json(price)}};
    lines += record.dump() + "\n";
    all.push_back(std::move(record));
  }
  return one_array ? all.dump(1) : lines;
}

Json settings(const test::DataFolder& folder, const Json& more) {
  Json all{{"json", folder.path() + "/orders.json"}, {"hidden", 16}, {"epochs", 15}, {"lr", 0.01}, {"threads", 1}};
  all.update(more);
  return all;
}

TEST(RecordsTask, PredictsANestedClass) {
  const test::DataFolder folder;
  folder.write("orders.json", orders(300, true));
  TrainedTask task("records", settings(folder, {{"target", "order.size"}, {"ignore", "id,price"}}));
  EXPECT_GT(task.scores["accuracy"], 0.9);
  EXPECT_EQ(task.scores_again(), task.scores);
  const auto answers = task.predict({R"({"order": {"items": [{"kind": "nail"}]}})",
                                     R"({"order": {"items": [{"kind": "nail"}, {"kind": "lamp"}, {"kind": "lamp"},
                                          {"kind": "nail"}, {"kind": "nail"}, {"kind": "lamp"}], "size": "small"}})"});
  EXPECT_EQ(answers[0]["label"], "small");
  EXPECT_EQ(answers[1]["label"], "large") << "a target that is given is ignored";
}

TEST(RecordsTask, PredictsANumberThatSomeRecordsLack) {
  const test::DataFolder folder;
  folder.write("orders.json", orders(500, false));
  TrainedTask task("records", settings(folder, {{"target", "price"}, {"kind", "regression"}, {"epochs", 25}}));
  EXPECT_LT(task.scores["rmse"], 2.5) << "about 6 for the mean";
  EXPECT_EQ(task.scores_again(), task.scores);
  EXPECT_TRUE(task.predict({R"({"order": {"items": [{"kind": "nail"}], "size": "small"}})"})[0].contains("value"));
}

TEST(RecordsTask, PredictsSeveralTargets) {
  const test::DataFolder folder;
  folder.write("orders.json", orders(300, false));
  TrainedTask task("records", settings(folder, {{"target", "order.size,price"}, {"metric", "f1"}}));
  EXPECT_TRUE(task.scores["macro F1 by target"].contains("order.size"));
  const auto answers = task.predict({R"({"order": {"items": [{"kind": "nail"}]}})"});
  EXPECT_EQ(answers[0]["order.size"]["label"], "small");
  EXPECT_TRUE(answers[0]["price"].contains("probabilities"));
}

TEST(RecordsTask, ErrorsNameFileLineAndField) {
  const test::DataFolder folder;
  folder.write("orders.json", orders(50, true));
  const std::string file = folder.path() + "/orders.json";
  const auto error = [&](const Json& more) {
    return test::error_of([&] { TrainedTask("records", settings(folder, more)); });
  };
  EXPECT_EQ(error({{"target", "prize"}}),
            file +
                ": no record has the field 'prize'; the nearest of 5 fields: 'id', 'order', 'order.items', "
                "'order.size', 'price'");
  EXPECT_EQ(error({{"target", ""}}), "--target FIELD is missing; it names the field to predict");
  EXPECT_EQ(error({{"target", "price"}, {"json", ""}}), "--json FILE is missing; it names the examples to train on");
  EXPECT_EQ(error({{"target", "order"}}),
            file + ":2:2: order: the target is an object; must be a string, a number or a boolean");
  EXPECT_EQ(error({{"target", "price"}, {"dev", file}, {"folds", 3}}),
            "--folds 3 divides one file; remove --dev " + file);
  EXPECT_EQ(error({{"target", "price"}, {"json", "/nowhere.json"}}), "there is no file /nowhere.json");
  folder.write("orders.json", "[1, 2]");
  EXPECT_EQ(error({{"target", "price"}}), file + ":1:2: the record is a number; must be an object");
}

TEST(RecordsTask, ARecordOfDevThatDoesNotFitIsFoundBeforeTraining) {
  const test::DataFolder folder;
  folder.write("orders.json", orders(60, false));
  folder.write("dev.json", R"({"order": {"items": [{"kind": "nail"}], "size": "small"}, "price": 1, "id": 1})"
                           "\n"
                           R"({"order": {"items": 5, "size": "small"}, "price": 1, "id": 2})"
                           "\n");
  const std::string dev = folder.path() + "/dev.json";
  EXPECT_EQ(test::error_of([&] { TrainedTask("records", settings(folder, {{"target", "order.size"}, {"dev", dev}})); }),
            dev + ":2:1: $.order.items: a number is given; an array is needed (example 1)");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
