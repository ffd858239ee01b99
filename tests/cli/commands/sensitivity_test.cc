// `trainplan search --sensitivity` through the command line.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kOpen = R"(model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}
parallelism: {tp: [1, 2, 4], microbatch: [1, 2, 4]}
)";

Json searched(const std::string& text, const std::vector<std::string>& more = {}, int status = 0) {
  std::vector<std::string> args{"search", "-", "--format", "json", "--sensitivity"};
  args.insert(args.end(), more.begin(), more.end());
  const Ran r = ran(args, text);
  CHECK(r.status == status);
  CHECK(!has_nan(r.out));
  return Json::parse(r.out);
}

const Json& of(const Json& j, const char* field) {
  for (const Json& row : j["sensitivity"])
    if (row["field"] == field) return row;
  static const Json none;
  return none;
}

}  // namespace

TEST_CASE("--sensitivity adds a table of the best plan to the search") {
  const Json j = searched(kOpen);
  REQUIRE(j["sensitivity"].size() == 9);
  for (const Json& row : j["sensitivity"]) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : row.items()) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"field", "step_elasticity", "usd_elasticity", "headroom_fraction"});
  }
  CHECK(of(j, "cluster.gpu.flops")["step_elasticity"] < -0.3);
  CHECK(of(j, "cluster.price")["usd_elasticity"].get<double>() == doctest::Approx(1));
  CHECK(of(j, "cluster.price")["headroom_fraction"].is_null());
  const Json& best = j["plans"][0];
  const double headroom = best["headroom_bytes"].get<double>(), peak = best["peak_bytes"].get<double>();
  // More than the rest of the capacity: a plan that needs slightly more memory than there is may still fit.
  CHECK(of(j, "cluster.gpu.memory")["headroom_fraction"].get<double>() > headroom / (headroom + peak));
  CHECK(of(j, "cluster.gpu.memory")["headroom_fraction"].get<double>() < 1);
  CHECK(!Json::parse(ran({"search", "-", "--format", "json"}, kOpen).out).contains("sensitivity"));
}

TEST_CASE("a scenario without choices has sensitivities too, those of its plan") {
  const Json j = searched(kOpen);
  const Json& chosen = j["plans"][0]["choices"];
  std::vector<std::string> sets{"--set", "parallelism.auto=false"};
  for (const auto& [path, value] : chosen.items()) sets.insert(sets.end(), {"--set", path + "=" + value.dump()});
  const Json same = searched(kOpen, sets);
  CHECK(same["space"]["candidates"] == 1);
  CHECK(same["sensitivity"] == j["sensitivity"]);
}

TEST_CASE("the page of --sensitivity, and nothing where nothing is feasible") {
  const Ran r = ran({"search", "-", "--sensitivity"}, kOpen, 100);
  REQUIRE(r.status == 0);
  CHECK(holds(r.out, "What the best plan depends on"));
  CHECK(holds(r.out, "cluster.network[0].bandwidth"));
  CHECK(holds(r.out, "may shrink by"));
  const Json none = searched(kOpen, {"--set", "where=[\"step < 1 us\"]"}, 3);
  CHECK(none["sensitivity"].empty());
  CHECK(ran({"plan", "-", "--sensitivity"}, kOpen).status == 2);
}
