// What the recipes of a release set, through the command line.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string scenario(const std::string& software = ", release: 25.09", const std::string& layout = "") {
  return "model: {use: deepseek-v3}\njob: {sequence: 4096, global_batch: 2048}\n"
         "cluster: {use: dgx-h100, gpus: 1024}\nsoftware: {use: megatron-bridge" +
         software + ", rules: []}\nparallelism: {tp: 2, pp: 8, ep: 64, interleave: 2" + layout + "}\n";
}

Json json(std::vector<std::string> args, const std::string& in) {
  args.insert(args.end(), {"--format", "json"});
  const Ran r = ran(args, in);
  INFO(r.err);
  REQUIRE(r.status == 0);
  return Json::parse(r.out);
}

Json plan(const std::string& in, const std::vector<std::string>& sets = {}) {
  std::vector<std::string> args{"plan", "-"};
  for (const std::string& s : sets) args.insert(args.end(), {"--set", s});
  return json(args, in);
}

/// What the rules set a field to; empty: none did.
std::string set_to(const Json& p, const std::string& field) {
  if (!p.contains("recipe")) return "";
  for (const Json& r : p["recipe"])
    if (r["field"] == field) return r["value"].is_string() ? r["value"].get<std::string>() : r["value"].dump();
  return "";
}

}  // namespace

TEST_CASE("plan prints which rules applied, with their sources") {
  const Ran r = ran({"plan", "-"}, scenario(), 200);
  INFO(r.err);
  REQUIRE(r.status == 0);
  for (const char* line : {"megatron-bridge 25.09: model.vocab = 129280 (Megatron-LM arguments.py",
                           "megatron-bridge 25.09: parallelism.zero = 1 (",
                           "megatron-bridge 25.09: parallelism.recompute = selective (recompute_modules)",
                           "megatron-bridge 25.09: software.selective = latent-up (recompute_modules mla_up_proj)",
                           "megatron-bridge 25.09: software.experts.overlap = true ("}) {
    CAPTURE(line);
    CHECK(has(r.out, line));
  }
  const Json p = plan(scenario());
  CHECK(p["recipe"].size() == 8);
  CHECK(set_to(p, "model.vocab") == "129280");
  CHECK(set_to(p, "software.selective") == "latent-up");
  for (const Json& rule : p["recipe"]) CHECK(rule["source"].get<std::string>().size() > 5);
}

TEST_CASE("without a release no rule applies") {
  const std::string text = scenario("", ", zero: 1, recompute: selective, sequence_parallel: true");
  const Ran r = ran({"plan", "-"}, text);
  CHECK((r.status == 0 || r.status == 3));  // it need not fit
  CHECK(has(r.out, "deepseek-v3 on 1024"));
  CHECK_FALSE(has(r.out, "recipe"));
}

TEST_CASE("what the scenario or --set writes wins over the rule") {
  CHECK(set_to(plan(scenario()), "parallelism.zero") == "1");
  CHECK(set_to(plan(scenario(", release: 25.09", ", zero: 0")), "parallelism.zero") == "");
  CHECK(set_to(plan(scenario(), {"parallelism.zero=0"}), "parallelism.zero") == "");
  CHECK(set_to(plan(scenario(), {"software.experts.overlap=false"}), "software.experts.overlap") == "");
}

TEST_CASE("--set of a release chooses its rules") {
  struct Case {
    const char *release, *overlap;
  };
  for (const Case& c : {Case{"25.09", "true"}, {"26.01", "true"}, {"26.02", ""}, {"any", ""}}) {
    CAPTURE(c.release);
    const Json p = plan(scenario(""), {std::string("software.release=") + c.release});
    CHECK(set_to(p, "parallelism.zero") == "1");
    CHECK(set_to(p, "software.experts.overlap") == c.overlap);
  }
}

TEST_CASE("a recipe leaves out the overlap that its program refuses for the layout") {
  const std::string field = "software.experts.overlap";
  CHECK(set_to(plan(scenario(), {"parallelism.interleave=1"}), field) == "false");
  CHECK(set_to(plan(scenario(), {"parallelism.recompute=full"}), field) == "false");
}

TEST_CASE("the resolved scenario of a recipe gives the same plan again") {
  const Json first = plan(scenario());
  const Json again = plan(first["scenario"].dump());
  REQUIRE(first["step"].is_object());
  CHECK(again["step"] == first["step"]);
  CHECK_FALSE(again.contains("recipe"));
}

TEST_CASE("show lists the rules of a profile with their sources") {
  const Ran r = ran({"show", "software/megatron-bridge"}, "", 250);
  REQUIRE(r.status == 0);
  for (const char* part : {"in 25.09", "any release", "from 25.09 until 26.01", "mla_up_proj", "software.selective"}) {
    CAPTURE(part);
    CHECK(has(r.out, part));
  }
  const Json p = json({"show", "software/megatron-bridge"}, "");
  CHECK(p["recipes"].size() > 5);
  CHECK(has(p["recipes"].dump(), "recompute_modules mla_up_proj"));
}

TEST_CASE("a bad release is reported at its place") {
  for (const char* bad : {"25.9", "25.13", "latest", "2025.09"}) {
    CAPTURE(bad);
    const Ran r = ran({"plan", "-"}, scenario(std::string(", release: ") + bad));
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(has(r.err, ":4:43"));
    CHECK(has(r.err, std::string("expected a release for software.release, got '") + bad + "'"));
  }
}
