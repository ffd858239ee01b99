// Files of other programs where a scenario is expected: the message names the command that reads them.
#include "cli/input/foreign.h"

#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

const char* const kConfig = "tests/planner/import/hf/llama-3.1-8b";
const char* const kScript = "tests/planner/import/megatron/gpt3-175b.sh";
const char* const kYaml = "tests/planner/import/megatron/gpt.yaml";
const char* const kJob = "tests/planner/import/torchtitan/llama3-405b.toml";

}  // namespace

TEST_CASE("a configuration of Hugging Face, its folder, a launch script and a TOML are told with what reads them") {
  for (const char* command : {"plan", "search", "ops", "check", "comm"}) {
    CAPTURE(std::string(command));
    const Ran file = ran({command, std::string(kConfig) + "/config.json"});
    CHECK(file.status == 1);
    CHECK(holds(file.err, "config.json:1:1: error: expected a scenario, got a configuration of Hugging Face"));
    CHECK(holds(file.err, "trainplan init hf:" + std::string(kConfig) + "/config.json CLUSTER"));
    const Ran folder = ran({command, kConfig});
    CHECK(folder.status == 1);
    CHECK(holds(folder.err, "trainplan init hf:" + std::string(kConfig) + " CLUSTER"));
    const Ran script = ran({command, kScript});
    CHECK(script.status == 1);
    CHECK(holds(script.err, "trainplan import megatron " + std::string(kScript) + " --cluster NAME"));
    const Ran yaml = ran({command, kYaml});
    CHECK(yaml.status == 1);
    CHECK(holds(yaml.err, "gpt.yaml:1:1: error: expected a scenario, got arguments of Megatron-LM"));
    CHECK(holds(yaml.err, "trainplan import megatron " + std::string(kYaml) + " --cluster NAME"));
    const Ran job = ran({command, kJob});
    CHECK(job.status == 1);
    CHECK(holds(job.err, "llama3-405b.toml:1:1: error: expected a scenario, got TOML"));
    CHECK(holds(job.err, "trainplan import torchtitan " + std::string(kJob) + " --cluster NAME"));
  }
}

TEST_CASE("scenarios and models that look alike are read as they are") {
  TestFolder folder;
  // JSON is YAML, and a comment may name anything.
  const std::string json =
      R"({"model": {"use": "gpt2"}, "job": {"sequence": 1024, "global_batch": 8}, "cluster": {"use": "dgx-a100-80gb", "gpus": 8},)"
      R"( "let": {"model_type": 3}})";
  CHECK(ran({"check", folder.add("a.json", json)}).status == 0);
  CHECK(ran({"plan", "-"}, kSmallJob).status == 0);
}

TEST_CASE("import megatron reads a script by its name") {
  const Ran named = ran({"import", "megatron", kScript, "--cluster", "dgx-a100-80gb"});
  CHECK(named.status == 0);
  CHECK(named.out == ran({"import", "megatron", "@" + std::string(kScript), "--cluster", "dgx-a100-80gb"}).out);
}
