// Rent or own, failures and spares through the command line: what contradicts, what comes back, what a search makes of
// it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const char* const kRented = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 16}
)";

using Args = std::vector<std::string>;

Ran planned(const Args& sets, const std::string& text = kRented) {
  Args args{"plan", "-", "--format", "json"};
  for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
  return ran(args, text);
}

Json cost(const Args& sets) {
  const Ran r = planned(sets);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out)["cost"];
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a purchase takes the place of the catalogue's rent, not of a rent that is written") {
  const double rented = cost({})["usd_per_gpu_hour"];
  CHECK(rented == doctest::Approx(1.79));
  const Json own = cost({"cluster.purchase.node_price=200e3 USD"});
  CHECK(own["usd_per_gpu_hour"] == doctest::Approx(200e3 / 8 / (1461 * 24 * 0.83)));
  CHECK(own["usd"] == doctest::Approx(own["usd_per_gpu_hour"].get<double>() * own["gpu_hours"].get<double>()));
  const Ran both = planned({"cluster.price=1 USD/h", "cluster.purchase.gpu_price=20e3 USD"});
  CHECK(both.status == 1);
  CHECK(has(both.err, "--set:1:28: error: a machine is rented (cluster.price) or bought (cluster.purchase), not both"));
  const Ran twice = planned({"cluster.purchase={gpu_price: 20e3 USD, node_price: 200e3 USD}"});
  CHECK(twice.status == 1);
  CHECK(has(twice.err, "purchase.gpu_price or purchase.node_price, not both"));
}

TEST_CASE("the resolved scenario of an owned machine plans to the same bytes") {
  const Ran first =
      planned({"cluster.purchase.node_price=200e3 USD", "cluster.spares=1", "cluster.power_price=0.1 USD/kWh",
               "cluster.checkpoint={background: 2 min, interval: 1 h, repair: 12 h, formula: daly}"});
  REQUIRE_MESSAGE(first.status == 0, first.err);
  const Json scenario = Json::parse(first.out)["scenario"];
  CHECK(!scenario["cluster"].contains("price"));
  CHECK(scenario["cluster"]["node_idle_power"] == "1950 W");
  CHECK(all_but_unwritten(planned({}, scenario.dump()).out) == all_but_unwritten(first.out));
}

TEST_CASE("the page says who owns, and who stands by") {
  const Ran r =
      ran({"plan", "-", "--set", "cluster.purchase.node_price=200e3 USD", "--set", "cluster.spares=2"}, kRented);
  CHECK(has(r.out, "; owned: "));
  CHECK(has(r.out, "spares     16 GPUs stand by; "));
  CHECK(!has(r.out, "No cluster.price"));
  const Ran rented = ran({"plan", "-"}, kRented);
  CHECK(!has(rented.out, "owned"));
  CHECK(!has(rented.out, "spares"));
}

TEST_CASE("a search over what a run costs gives the figures of a plan") {
  const std::string open = std::string(kRented) +
                           "parallelism: {auto: false, tp: 2, zero: 1}\nwhere: [usd > 0 USD]\ngoal: {minimize: usd}\n";
  const Args sets{"cluster.spares=[0, 2]", "cluster.purchase.node_price=[150e3 USD, 200e3 USD]",
                  "cluster.power_price=0.1 USD/kWh",
                  "cluster.checkpoint={interval: [30 s, 1 h], repair: [0 s, 24 h], formula: [young, daly]}"};
  Args args{"search", "-", "--format", "json", "--top", "1", "--verify", "6"};
  for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
  const Ran r = ran(args, open);
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(has(r.err, ": 0 differ"));
  const Json j = Json::parse(r.out);
  CHECK(j["space"]["candidates"] == 32);
  CHECK(j["space"]["rejected"]["checkpoint"] == 16);  // every 30 s, a save of 50 s
  CHECK(j["plans"][0]["choices"]["cluster.purchase.node_price"] == "150000 USD");
}

TEST_CASE("an owner's sensitivity names the purchase") {
  const Ran r = ran(
      {"search", "-", "--sensitivity", "--format", "json", "--set", "cluster.purchase.node_price=2e5 USD"}, kRented);
  REQUIRE(r.status == 0);
  bool found = false;
  const Json j = Json::parse(r.out);
  for (const Json& row : j["sensitivity"]) {
    CHECK(row["field"] != "cluster.price");
    if (row["field"] != "cluster.purchase.node_price") continue;
    found = true;
    CHECK(row["usd_elasticity"] == doctest::Approx(1));
    CHECK(row["step_elasticity"] == 0);
  }
  CHECK(found);
}
