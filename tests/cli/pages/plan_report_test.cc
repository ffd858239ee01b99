#include "cli/pages/plan_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/render/render.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample.h"

using Json = nlohmann::ordered_json;

namespace {

std::string rendered(const planner::Plan& plan, const char* format, int width = 80) {
  std::ostringstream out;
  cli::render(cli::plan_report(sample_scenario(), plan), format, {.width = width}, out);
  return out.str();
}

Json json_of(const planner::Plan& plan) { return Json::parse(rendered(plan, "json")); }

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

}  // namespace

std::string resolved_scenario(const std::string& plan_json) {
  Json json = Json::parse(plan_json, nullptr, false);
  return json.contains("scenario") ? json["scenario"].dump(2) : "";
}

std::string all_but_unwritten(const std::string& plan_json) {
  Json json = Json::parse(plan_json, nullptr, false);
  if (!json.is_object()) return plan_json;
  json.erase("unwritten");
  return json.dump(2);
}

TEST_CASE("a plan's JSON has the keys of the contract, in its order") {
  Json json = json_of(sample_plan());
  using Keys = std::vector<std::string>;
  CHECK(keys(json) == Keys{"format", "scenario", "parameters", "active_parameters", "feasible", "violations", "step",
                           "accuracy", "provenance", "breakdown", "communication", "throughput", "memory", "cost"});
  CHECK(json["format"] == "trainplan.plan/1");
  CHECK(keys(json["step"]) == Keys{"seconds", "low_seconds", "high_seconds"});
  CHECK(keys(json["breakdown"]) ==
        Keys{"forward", "backward", "recompute", "optimizer", "serialized_comm", "exposed_comm", "bubble", "overhead"});
  CHECK(keys(json["communication"][0]) ==
        Keys{"name", "kind", "ranks", "tiers", "bytes", "count", "seconds", "hidden_seconds", "exposed_seconds"});
  CHECK(keys(json["throughput"]) == Keys{"tokens_per_second", "tokens_per_second_per_gpu", "samples_per_second",
                                         "model_flops_per_step", "model_tflops_per_gpu", "mfu", "mfu_full_attention",
                                         "hfu", "peak_flops_per_gpu", "peak_precision"});
  CHECK(keys(json["memory"]) == Keys{"capacity_bytes", "peak_bytes", "allocated_bytes", "reserved_bytes",
                                     "device_bytes", "fit", "host_capacity_bytes", "host_bytes", "stages"});
  CHECK(keys(json["memory"]["stages"][0]) == Keys{"stage", "weights", "gradients", "optimizer", "activations",
                                                  "temporary", "fragmentation", "device_overhead", "total", "host"});
  CHECK(keys(json["cost"]) == Keys{"gpus", "tokens", "steps", "days_ideal", "goodput", "days", "gpu_hours", "usd",
                                   "usd_per_1e12_tokens", "kwh", "co2_kg", "checkpoint_interval_seconds",
                                   "expected_failures", "recovery_seconds", "spare_gpus", "usd_per_gpu_hour",
                                   "usd_power"});
}

TEST_CASE("counts are integers, absent figures null, every stage is printed") {
  Json json = json_of(sample_plan());
  CHECK(json["communication"][0]["count"].is_number_integer());
  CHECK(json["cost"]["tokens"].is_number_integer());
  CHECK(json["cost"]["tokens"] == 300000000000);
  CHECK(json["cost"]["usd"].is_null());
  CHECK(json["memory"]["stages"].size() == 3);
  CHECK(json["memory"]["stages"][0]["total"] == 49e9);
  CHECK(json["violations"].empty());
}

TEST_CASE("a layout violation leaves the figures null") {
  planner::Plan plan;
  plan.feasible = false;
  plan.violations = {{"ranks", "tp 3 x pp 3 x dp 2 is 18, not 64"}};
  Json json = json_of(plan);
  CHECK(json["feasible"] == false);
  CHECK(json["violations"] == Json::parse(R"([{"rule": "ranks", "message": "tp 3 x pp 3 x dp 2 is 18, not 64"}])"));
  for (const char* part : {"step", "breakdown", "throughput", "memory", "cost"}) CHECK(json[part].is_null());
  CHECK(json["communication"].empty());
  std::string text = rendered(plan, "table");
  CHECK(text.starts_with("gpt-sample on 64 x a100: not feasible\n"));
  CHECK(text.find("tp 3 x pp 3 x dp 2 is 18, not 64") != std::string::npos);
}

TEST_CASE("the page of a plan says what matters first and fits 80 columns") {
  std::string text = rendered(sample_plan(), "table");
  CHECK(text.starts_with("gpt-sample on 64 x a100: 4.000 s per step, MFU 48.0 %\n"));
  for (const char* part :
       {"Where the step goes", "Communication", "Memory of one GPU", "The whole run", "pipeline bubble"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
}

TEST_CASE("the breakdown's shares sum to the step") {
  std::string text = rendered(sample_plan(), "table");
  CHECK(text.find("forward                    1.000 s   25.0 %  ##########\n") != std::string::npos);
  CHECK(text.find("step                       4.000 s  100.0 %\n") != std::string::npos);
}

TEST_CASE("stages with the same memory are one row of the page") {
  std::string text = rendered(sample_plan(), "table");
  CHECK(text.find("\n0-1 ") != std::string::npos);
  CHECK(text.find("\n2 ") != std::string::npos);
  CHECK(text.find("\n1 ") == std::string::npos);
}

TEST_CASE("a plan as CSV is one row with dotted names") {
  std::string csv = rendered(sample_plan(), "csv");
  CHECK(csv.find("step.seconds") != std::string::npos);
  CHECK(csv.find("memory.stages.2.weights") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 2);
}
