// What the targets over Megatron-Core share: the same field is the same setting, whatever its name.
#include "planner/export/core_rules.h"

#include <map>

#include "tests/planner/export/export_sample.h"

namespace {

/// Settings of a target by the field from which they follow, without their sections: "field name=value".
std::map<std::string, std::string> by_field(const std::string& target, const std::vector<std::string>& set) {
  std::map<std::string, std::string> out;
  const Exported exported(target, export_scenario("megatron-bridge"), set);
  REQUIRE_MESSAGE(exported.result, exported.told());
  for (const planner::Setting& s : exported.result->settings)
    out[s.field] += s.name.substr(s.name.rfind('.') + 1) + "=" + s.value + " ";
  return out;
}

planner::Scenario scenario_with(double optimizer, double gradient, planner::Precision precision) {
  planner::Scenario s;
  s.software.memory.optimizer = optimizer;
  s.software.memory.gradient = gradient;
  s.job.precision = precision;
  return s;
}

}  // namespace

TEST_CASE("targets over Megatron-Core call its fields the same") {
  const std::vector<std::string> set{
      "parallelism.interleave=2",  "parallelism.cp=2", "parallelism.sequence_parallel=true",
      "model.use=mixtral-8x7b",    "parallelism.ep=2", "job.routing.capacity=1.5",
      "software.fusion.rope=false"};
  const auto nemo = by_field("nemo", set), bridge = by_field("megatron-bridge", set);
  for (const char* field :
       {"parallelism.tp", "parallelism.pp", "parallelism.cp", "parallelism.ep", "parallelism.etp",
        "parallelism.interleave", "parallelism.sequence_parallel", "job.routing.capacity", "software.context",
        "software.fusion.rope", "software.fusion.softmax", "software.experts.dispatch", "software.experts.permute"}) {
    CAPTURE(std::string(field));
    REQUIRE(nemo.contains(field));
    REQUIRE(bridge.contains(field));
    CHECK(nemo.at(field) == bridge.at(field));
  }
}

TEST_CASE("narrow states are those whose types sum up to the bytes") {
  using planner::Precision;
  const struct {
    double optimizer, gradient;
    Precision precision;
    const char* types;  // of the two moments and of gradients
  } kCases[] = {{12, 4, Precision::bf16, "none"},          {10, 4, Precision::bf16, "- -"},
                {8, 4, Precision::bf16, "bf16 -"},         {6, 4, Precision::bf16, "bf16 bf16"},
                {4, 4, Precision::bf16, "fp8 fp8"},        {5, 4, Precision::bf16, "none"},
                {8, 4, Precision::fp16, "bf16 bf16"},      {6, 2, Precision::fp16, "fp8 fp8"},
                {6, 2, Precision::bf16, "bf16 bf16 bf16"}, {10, 4, Precision::mxfp8, "bf16 -"}};
  for (const auto& c : kCases) {
    CAPTURE(c.optimizer);
    const auto narrow = planner::exporting::narrow_states(scenario_with(c.optimizer, c.gradient, c.precision));
    std::string types = "none";
    if (narrow) {
      const auto name = [](const char* type) { return std::string(*type ? type : "-"); };
      types = name(narrow->first) + " " + name(narrow->second) + (narrow->gradients ? " bf16" : "");
    }
    CHECK(types == c.types);
  }
}

TEST_CASE("Python writes truth values, texts and lists in its own way") {
  const std::vector<planner::Setting> settings{{"launch", "8", false, ""},
                                               {"model.on", "true", false, ""},
                                               {"model.off", "false", false, ""},
                                               {"model.word", "true", true, ""},
                                               {"model.type", "torch.bfloat16", false, ""},
                                               {"model.list", "[\"a\", \"b\"]", false, ""},
                                               {"model.text", "say \"x\" \\ y", true, ""}};
  CHECK(planner::exporting::render_python("cfg.", settings) ==
        "cfg.model.on = True\ncfg.model.off = False\ncfg.model.word = \"true\"\ncfg.model.type = torch.bfloat16\n"
        "cfg.model.list = [\"a\", \"b\"]\ncfg.model.text = \"say \\\"x\\\" \\\\ y\"\n");
}
