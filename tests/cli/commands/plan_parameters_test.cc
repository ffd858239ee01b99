// Parameters on the page of a plan: those of `show`, and the active ones of mixtures.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/harness.h"

using nlohmann::json;

namespace {

std::string scenario(const std::string& model) {
  return "model: {use: " + model +
         "}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 64}\n"
         "software: {use: megatron-core}\nparallelism: {tp: 8, zero: 1, recompute: full}\n";
}

}  // namespace

TEST_CASE("a plan has the parameters that show prints, all and active") {
  for (const char* model : {"llama3-8b", "mixtral-8x7b", "nemotron-3-nano-30b-a3b"}) {
    CAPTURE(std::string(model));
    const Ran plan = ran({"plan", "-", "--format", "json"}, scenario(model));
    const Ran show = ran({"show", model, "--format", "json"});
    REQUIRE(!plan.out.empty());
    const json planned = json::parse(plan.out), shown = json::parse(show.out);
    CHECK(planned.at("parameters") == shown.at("parameters"));
    CHECK(planned.at("active_parameters") == shown.at("active_parameters"));
  }
}

TEST_CASE("the page names active parameters of mixtures alone") {
  const std::string dense = ran({"plan", "-"}, scenario("llama3-8b")).out;
  CHECK(dense.find("\nmodel          8.030 G parameters\n") != std::string::npos);
  const std::string mixture = ran({"plan", "-"}, scenario("mixtral-8x7b")).out;
  CHECK(mixture.find("\nmodel          46.70 G parameters, 12.75 G active per token\n") != std::string::npos);
  const std::string page = ran({"plan", "-", "--format", "html"}, scenario("mixtral-8x7b")).out;
  CHECK(page.find("46.70 G parameters, 12.75 G active per token") != std::string::npos);
}
