// `plan --vary`: what changes make of days and dollars.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kPriced =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64, tokens: 1e10}\n"
    "cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}\nparallelism: {tp: [2, 1], dp: cluster.gpus / tp}\n";

Ran varied(const char* changes, const char* format = "json") {
  return ran({"plan", "-", "--pick", "best", "--vary", changes, "--format", format, "--quiet"}, kPriced);
}

}  // namespace

TEST_CASE("--vary: each change alone, and all together") {
  const Ran r = varied("price=0.5,tokens=2,failures=3");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json rows = Json::parse(r.out).at("varied");
  REQUIRE(rows.size() == 5);
  const auto figure = [&](size_t row, const char* name) { return rows[row].at(name).get<double>(); };
  CHECK(rows[0].at("change") == "none");
  CHECK(figure(0, "usd_more") == 0);
  CHECK(figure(1, "usd") == doctest::Approx(figure(0, "usd") / 2));
  CHECK(figure(1, "days") == figure(0, "days"));
  CHECK(figure(2, "days") == doctest::Approx(2 * figure(0, "days")).epsilon(0.01));
  CHECK(figure(3, "days") > figure(0, "days"));
  CHECK(figure(3, "step_seconds") == figure(0, "step_seconds"));
  CHECK(figure(4, "usd") == doctest::Approx(figure(0, "usd")).epsilon(0.02));
  CHECK(figure(4, "days") > figure(2, "days"));
  CHECK(varied("price=0.5", "table").out.find("What if") != std::string::npos);
}

TEST_CASE("--vary: a change is a name and a factor") {
  CHECK(Json::parse(varied("cluster.gpu.memory_bandwidth=2").out).at("varied").size() == 2);
  CHECK(varied("price").err.find("--vary: 'price' is no change") != std::string::npos);
  CHECK(varied("price=-1").status == 1);
  CHECK(varied("tok=2").err.find("--vary: 'tok' is no name of a field") != std::string::npos);
  CHECK(varied("cluster.gpu.nothing=2").err.find("unknown field 'cluster.gpu.nothing'") != std::string::npos);
}
